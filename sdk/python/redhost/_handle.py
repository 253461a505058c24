"""The library, opened once for each process and device, and how its failures and signals come back."""
import ctypes as c
import os
import signal
import threading
from typing import Any, Callable, Dict, List, Optional

from . import _abi, _install, _plugins
from ._errors import InstallError, fail

# The handles of this process, by device ("" is the default) or by the address of a command queue.
_handles: Dict[object, "Handle"] = {}
_opening = threading.Lock()
# What else is let go in a forked child.
in_child: List[Callable[[], object]] = []
_library: Optional[c.CDLL] = None


def _refuse_subinterpreter() -> None:
    try:
        get, main = c.pythonapi.PyInterpreterState_Get, c.pythonapi.PyInterpreterState_Main
    except AttributeError:
        return
    get.restype = main.restype = c.c_void_p
    if get() != main():
        raise ImportError("redhost runs in the main interpreter only; call it there, or in a process of its own")


_refuse_subinterpreter()


def library() -> c.CDLL:
    """libredhost, loaded when it is first needed."""
    global _library
    if _library is None:
        path = _install.library()
        try:
            loaded = c.CDLL(path)
            _abi.declare(loaded)
        except (OSError, AttributeError) as error:
            raise InstallError(f"{path}: {error}") from None
        _library = loaded
    return _library


class Thread(threading.local):
    """Of the call in progress: what interrupted it, and who is told how far it is."""

    def __init__(self) -> None:
        self.interrupt: Optional[BaseException] = None
        self.progress: Optional[Callable[[str, int, int], object]] = None


thread = Thread()


def _progress(_user: object, phase: bytes, done: int, total: int) -> int:
    # Python runs the handlers of signals here, in the main thread.
    try:
        if thread.progress:
            thread.progress(phase.decode(), done, total)
        return int(thread.interrupt is not None)
    except BaseException as interrupt:  # also what the caller's own progress raises
        thread.interrupt = interrupt
        return 1


def _log(_user: object, level: int, text: bytes) -> None:
    try:
        import logging
        levels = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)
        logging.getLogger("redhost").log(levels[min(level, 3)], "%s", text.decode("utf-8", "replace"))
    except BaseException as interrupt:  # raised when the call is over
        thread.interrupt = interrupt


class interruptible:
    """During a long call Ctrl-C is noted, for an exception that begins in a callback would be lost, and raised after it."""

    def __enter__(self) -> None:
        self.handler = None
        if threading.current_thread() is threading.main_thread() and signal.getsignal(
                signal.SIGINT) is signal.default_int_handler:
            self.handler = signal.signal(signal.SIGINT, _note)

    def __exit__(self, *_error: object) -> None:
        if self.handler:
            signal.signal(signal.SIGINT, self.handler)


def _note(_number: int, _frame: object) -> None:
    thread.interrupt = KeyboardInterrupt()


_LOG, _PROGRESS = _abi.LOG(_log), _abi.PROGRESS(_progress)


class Handle:
    """An rh_redhost.  It lives as long as the process: at exit the system takes back what it has, so that a thread that is
    still in a call is not cut off."""

    def __init__(self, device: Optional[str] = None, queue: Optional[Any] = None) -> None:
        opening = library().rh_open
        self.queue = queue  # lives as long as the handle does
        options = _abi.Options(struct_size=c.sizeof(_abi.Options), kept_setups=64)
        options.device = device.encode() if device else None
        options.program = _install.program().encode()
        options.plugin_path = ":".join(_plugins.folders()).encode() or None
        options.reporter.log, options.reporter.progress = _LOG, _PROGRESS
        options.queue = queue.int_ptr if queue is not None else None
        address = c.c_void_p()
        error = _abi.Error()
        check(opening(c.byref(address), c.byref(options), c.byref(error)), error)
        self.address = address.value

    def close(self) -> None:
        """Releases what the library holds."""
        library().rh_close(self.address)


def handle(device: Optional[str] = None, queue: Optional[Any] = None) -> Handle:
    """The handle of a device, or of a PyOpenCL command queue; without either, that of the default device."""
    key = queue.int_ptr if queue is not None else device or ""
    found = _handles.get(key)
    if found is None:
        with _opening:
            found = _handles.get(key)
            if found is None:
                found = _handles[key] = Handle(device, queue)
    return found


def check(status: int, error: _abi.Error) -> None:
    """Raises what a status means, with the library's sentence; or what interrupted the call."""
    interrupt = thread.interrupt
    if interrupt is not None:
        thread.interrupt = None
        raise interrupt
    if status:
        fail(status, error.message)


def forget() -> None:
    """Lets go of all handles without a word to the library: what a forked child does, whose devices are the parent's."""
    global _opening
    _opening = threading.Lock()
    _handles.clear()
    for let_go in in_child:
        let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=forget)


def version() -> str:
    """The library's version."""
    return str(library().rh_version().decode())
