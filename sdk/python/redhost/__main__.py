"""python -m redhost: the program in place of this process."""
import os
import sys

from ._errors import InstallError
from ._install import program
from ._plugins import environment


def main() -> None:
    """Runs the program with this process's arguments."""
    try:
        path = program()
        os.execve(path, [path, *sys.argv[1:]], environment())
    except (InstallError, OSError) as error:
        sys.exit(f"redhost: {error}")


if __name__ == "__main__":
    main()
