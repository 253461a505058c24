"""The tuning database: tuned.json, the defaults that come with redhost, and how `auto' uses both."""

import functools
import glob
import json
import os
import re
import shutil
import unittest

import redhost_cli as cli

WRONG = os.environ.get("REDHOST_TEST_WRONG", "")
PARTICULAR = os.path.join(cli.ZOO, "particular.so")
FAULTS = os.path.join(cli.ZOO, "worker_faults.so")
BREAKS_ORDER = os.path.join(cli.ZOO, "breaks_order.so")
SMALL = ["-n", "1024", "-t", "i32", "--data", "equal"]
DEFAULTS = os.path.join(cli.HERE, "..", "..", "host", "choose", "tunedb", "defaults")


def family():
    """This processor's, as redhost names it."""
    words = dict(re.findall(r"(?m)^(vendor_id|cpu family|model)\s*: (.*)$", cli.text("/proc/cpuinfo")))
    return " ".join(words.get(key, "") for key in ("vendor_id", "cpu family", "model"))


# In the file's key, also of this machine.
PROCESSOR = "%s, cores: %d" % (family(), os.sysconf("SC_NPROCESSORS_ONLN"))


@functools.cache
def hash_of(data):
    """As redhost identifies a plugin's file: by its bytes, eight at a time, and their number."""
    value = 0xcbf29ce484222325
    for at in range(0, len(data), 8):
        value = (value ^ int.from_bytes(data[at:at + 8], "little")) * 0x100000001b3 & 0xffffffffffffffff
        value ^= value >> 32
    return "%016x" % ((value ^ len(data)) * 0x100000001b3 & 0xffffffffffffffff)


def entry(strategy, latency=None, time=None, *, op="sum", type="i32", n=1024, path=None, **more):
    """For a strategy that came with redhost, or for the file at `path'."""
    path = path or os.path.join(cli.PLUGINS, strategy + ".so")
    made = {"strategy": strategy, "plugin": hash_of(cli.read(path)), "op": op, "type": type, "n": n}
    if latency:
        made["latency_s"] = latency
    if time:
        made["time_s"] = time
    return {**made, **more}


class TunedCase(cli.CacheCase):
    def setUp(self):
        super().setUp()
        (self.device,) = self.json("--list")["devices"]

    def tune(self, *entries, driver=None, text=None):
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        cli.write(self.file, text or json.dumps({"schema": "redhost-tuned/1", "devices": [
            {"platform": self.device["platform"], "device": self.device["name"],
             "driver": driver or self.device["driver"], "processor": PROCESSOR, "entries": entries}]}))
        os.chmod(self.file, 0o600)

    def need_times(self):
        """The times that come with redhost count on processors like those that they were measured on."""
        if family() not in [json.loads(cli.text(path))["family"] for path in glob.glob(os.path.join(DEFAULTS, "pocl_*.json"))]:
            self.skipTest("another processor than those of the defaults; unit.test_job has the same with times of its own")

    def tuned(self):
        return json.loads(cli.text(self.file))["devices"]

    def run_it(self, *args, **how):
        """The result as JSON, and the output of -v."""
        done = self.good("--run", *args, "-v", "--json", quiet=False, **how)
        return json.loads(done.out)["results"][0], done.err

    def choice(self, *args, **how):
        """The strategy that `auto' took, and its explanation."""
        result, said = self.run_it("auto", *args, **how)
        (why,) = re.findall(r"(?m)^redhost: auto: (.*)\.$", said)
        self.assertEqual(result["chosen"], why)
        self.assertTrue(why.startswith(result["strategy"] + ", "), why)
        return why


class Auto(TunedCase):
    """The times are short, because redhost's own strategies compete."""

    def test_the_canonical_order(self):
        """What rounds has the same bits whatever was tuned; a strategy that is named is taken all the same."""
        self.tune(*(entry(name, time, op=op, type=kind) for op in ("sum", "asum", "prod", "min") for kind in ("f16", "f32", "f64", "i16")
                    for name, time in (("tiled_4", 1e-9), ("cascade", 2e-9), ("onepass", 5e-9), ("native", 9e-9))))
        for op in ("sum", "asum", "prod"):
            for kind in ("f16", "f32", "f64"):
                self.assertRegex(self.choice("-n", "1024", "--op", op, "-t", kind, "--data", "equal"),
                                 r"^onepass, measured here at 2\^10: 5 ns a call, next is native with 9 ns; tiled_4 with 1 ns is passed "
                                 r"over: its bits are not those of the canonical order$")
        for op, kind in (("sum", "i16"), ("min", "f32")):
            self.assertRegex(self.choice("-n", "1024", "--op", op, "-t", kind), r"^tiled_4, measured here[^;]*$")
        self.assertEqual(json.loads(self.good("--run", "tiled_4", "-n", "1024", "--json").out)["results"][0]["strategy"], "tiled_4")

    def test_nobody_of_the_canonical_order(self):
        """Rather none than other bits."""
        self.tune(*(entry(name, type="f32", failed=True) for name in ("native", "onepass", "segments")))
        self.bad(4, "no strategy that promises the bits of the canonical order can serve sum of f32 here without a wrong result: native, onepass, segments. "
                    "Name another one, such as", "--run", "auto", "-n", "1024")
        self.good("--run", "auto", "-n", "1024", "-t", "i32")

    def test_measured(self):
        self.tune(entry("cascade", 9e-9), entry("two_stage", 4.4e-9), entry("tiled_4", 6.4e-9))
        self.assertEqual(self.choice(*SMALL), "two_stage, measured here at 2^10: 4.4 ns a call, next is tiled_4 with 6.4 ns")
        self.assertEqual(self.value("--run", "auto", *SMALL), "1024")  # without -v, not a word

    def test_a_tie_goes_to_the_quicker_device(self):
        self.tune(entry("cascade", 1.00e-8, 8e-9), entry("two_stage", 1.01e-8, 2e-9), entry("tiled_4", 1.03e-8, 1e-9))
        self.assertIn("two_stage, measured here at 2^10: 10.1 ns a call, next is cascade", self.choice(*SMALL))

    def test_of_something_like_it(self):
        """redhost's own defaults for the exact operator take precedence."""
        self.tune(entry("cascade", 9e-9, op="max"))
        self.assertIn("cascade, measured here, for max of i32 at 2^10", self.choice(*SMALL))
        self.tune(entry("cascade", 9e-6, op="max", type="f32"))
        self.need_times()
        self.assertIn("by the defaults that come with redhost", self.choice("-n", "2^20", "-t", "f32"))

    def test_by_the_defaults(self):
        if self.device["platform"] != "Portable Computing Language":
            self.skipTest("the defaults are looked at for PoCL")
        self.need_times()
        self.assertRegex(self.choice("-n", "2^22"),
                         r"^native, by the defaults that come with redhost for PoCL on \w+ CPUs at 2\^22: .* a call, "
                         r"next is onepass with ")
        self.assertRegex(self.choice("-n", "2^22", "--op", "min", "-t", "i32"), r", for sum of [fi]32 at 2\^22: ")
        self.assertTrue(self.choice(*SMALL, env=cli.NO_PLATFORM).startswith("native, by the defaults"))

    def test_a_file_without_a_mode(self):
        sunspots = os.path.join(cli.HERE, "..", "data", "sunspots_yearly.npy")
        self.assertEqual(self.value("-i", sunspots, "--op", "argmax"), "257")
        self.assertEqual(self.value("--op", "argmax", "--input", sunspots), "257")
        ran = json.loads(self.good("-i", sunspots, "--json").out)["results"][0]
        self.assertTrue(ran["chosen"].startswith(ran["strategy"] + ", "), ran["chosen"])

    def test_all_failed(self):
        names = self.good("--list", "-q").out.split()
        files = {name: os.path.join(cli.PLUGINS, name + ".so") for name in names}
        self.tune(*(entry(name, failed=True) for name, file in files.items() if os.path.exists(file)))
        done = self.bad(4, "gave a wrong result here: |cascade|Name one to try it", "--run", "auto", *SMALL)
        self.assertNotIn("...", done.err)

    def test_segments(self):
        """By times of segments about as long, never of whole arrays; a loop only where it wins, and it takes longer for more segments."""
        def choice(length, *entries):
            self.tune(*(entry(name, time, time, n=4096, **more) for name, time, more in whole + entries))
            said = self.good("--run", "auto", "-n", "4096", "-t", "i32", "--data", "equal", "--length", str(length), "-v", quiet=False).err
            (why,) = re.findall(r"(?m)^redhost: auto: (.*)\.$", said)
            return why
        fixed = {"length": 16, "distribution": "fixed"}
        whole = (("serial", 1e-9, {}), ("segments", 1e-8, {}), ("native", 1e-6, {}))
        native, segments, serial = ("native", 5e-6, fixed), ("segments", 4e-6, fixed), ("serial", 2e-6, fixed)
        by_score = r"^native, by its own score of \d+, as no such segments were measured$"
        for length, entries in (16, ()), (16, (serial,)), (1024, (native, segments, serial)), (16, (("native", 5e-6, {**fixed, "distribution": "columns"}),)):
            self.assertRegex(choice(length, *entries), by_score)
        self.assertEqual(choice(16, native, segments), "segments, measured here at 2^12 in segments of 16 (fixed): 4 us a call, next is native with 5 us")
        self.assertEqual(choice(32, native, segments, ("serial", 9e-6, fixed)).split(",")[0], "segments")
        self.assertEqual(choice(16, native, segments, serial), "serial, measured here at 2^12 in segments of 16 (fixed): 2 us a call, next is segments with 4 us")
        self.assertEqual(choice(4, native, segments, serial).split(",")[0], "segments")
        # One length for all: not the one at which a strategy alone was measured.
        self.assertEqual(choice(64, native, segments, ("serial", 1e-9, {**fixed, "length": 64})).split(",")[0], "segments")

    def test_no_cache(self):
        self.tune(entry("cascade", 1e-6))
        self.assertNotIn("measured here at", self.choice(*SMALL, "--no-cache"))

    def test_no_device(self):
        """Values that were found on any device serve without one; device strategies cannot run here."""
        self.tune(entry("native", 2e-9), entry("cascade", 1e-9))
        self.assertRegex(self.choice(*SMALL, env=cli.NO_PLATFORM),
                         r"^native, measured here at 2\^10: 2 ns a call(, next is serial with \S+ \ws by the defaults|; no other strategy "
                         r"has a known time)$")

    def test_the_host_wins_without_a_look_at_devices(self):
        """Where opening a device of this machine and the data's way to it take longer than the host takes, no driver is loaded."""
        known = {"op": "sum", "type": "u8", "time_s": 1, "latency_s": 1, "trial": True}
        upload = [{**known, "strategy": "upload", "plugin": "2d75706c6f61642d", "n": n} for n in (4096, 32 << 20)]
        opening = {**known, "strategy": "opening", "plugin": "2d6f70656e696e67", "n": 1}
        for way in (upload, [opening]):
            self.check_no_device(way)

    def check_no_device(self, way):
        drivers = os.path.join(self.env["XDG_CACHE_HOME"], "redhost", "drivers")
        shutil.rmtree(drivers, ignore_errors=True)
        self.env.pop("REDHOST_DEVICE", None)
        self.tune(entry("native", 2, 2, n=4096), *way)
        self.good("--run", "auto", "-n", "4096", "-t", "i32", "-q")
        self.assertTrue(os.path.exists(drivers))
        shutil.rmtree(drivers)
        self.tune(entry("native", 1e-6, 1e-6, n=4096), entry("onepass", 1e-5, 1e-5, on_device=True), *way)
        run = ["--run", "auto", "-n", "4096", "-t", "i32", "--data", "equal", "-q"]
        loads = os.path.join(self.home, "loads")
        os.makedirs(loads, exist_ok=True)
        log = {"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": os.path.join(loads, "of")}
        self.assertEqual(self.good(*run, env=log).out, "4096\n")
        self.assertFalse(os.path.exists(drivers))
        # Of the others only those of the host whose times the defaults for this processor tell.
        self.assertIn("native", self.loaded(loads))
        self.assertLessEqual(self.loaded(loads), {"native", "serial", "cpu_serial_float4"})
        self.good(*run, "-d", "0")  # who asks for a device gets one
        self.assertTrue(os.path.exists(drivers))

    @staticmethod
    def loaded(folder):
        """The plugins of redhost that any process opened, by the dynamic linker's logs."""
        names = set()
        for log in glob.glob(os.path.join(folder, "*")):
            names.update(re.findall(r"file=%s/(\w+)\.so" % re.escape(os.path.realpath(cli.PLUGINS)), cli.text(log)))
        return names


class Parameters(TunedCase):
    def params(self, *args, **how):
        result, said = self.run_it("cascade", *SMALL, *args, **how)
        return result["params"], result["params_from"], result["params_note"], said

    def test_named_strategy(self):
        for args in ([], ["--isolate"]):
            self.tune(entry("cascade", params={"tile": "64", "finish": "device"}))
            params, origin, note, said = self.params(*args)
            self.assertEqual((params["tile"], params["finish"], params["tiles_per_unit"]), (64, "device", 4))
            self.assertEqual((origin, note), ("tuned", "tuned here"))
            self.assertIn("redhost: parameters of 'cascade': tuned here.\n", said)
            self.assertRegex(self.good("--run", "cascade", *SMALL, *args, "-v", quiet=False).out,
                             r"(?m)^parameters tile=64 .*   tuned here$")
        self.good("--run", "cascade", *SMALL, "-q")

    def test_other_plugin(self):
        """What was measured with another version of a plugin is passed over with one sentence under -v."""
        for args in (["cascade"], ["cascade", "--isolate"], ["auto"]):
            self.tune(entry("cascade", params={"tile": "64"}, plugin="0" * 15 + "1"), entry("cascade", 1e-9, n=2048, plugin="0" * 15 + "2"))
            said = self.good("--run", *args, *SMALL, "-v", quiet=False).err
            self.assertEqual(re.findall(r"(?m)^redhost: [^\n]*/tuned\.json: ([^\n]*passed over[^\n]*)$", said),
                             ["2 entries of 'cascade' are passed over: measured with another version of its plugin."], args)
            self.good("--run", *args, *SMALL)  # named under -v only
        self.tune(entry("cascade", params={"tile": "64"}))
        self.assertNotIn("version of its plugin", self.good("--run", "cascade", *SMALL, "-v", quiet=False).err)

    def test_what_does_not_fit(self):
        for args in ([], ["--isolate"]):
            self.tune(entry("cascade", params={"tile": "99999", "width": "3", "finish": "moon", "tiles_per_unit": "2"}))
            params, origin, _, said = self.params(*args)
            self.assertEqual((params["tile"], params["finish"], params["tiles_per_unit"], origin), (0, "host", 2, "tuned"))
            self.assertIn("redhost: tuned tile=99999 is ignored: 'cascade' takes 0 to 4096.\n", said)
            self.assertIn("redhost: tuned width=3 is ignored: 'cascade' has no such parameter.\n", said)
            self.assertIn("redhost: tuned finish=moon is ignored: 'cascade' takes host or device.\n", said)
            self.good("--run", "cascade", *SMALL, *args)  # named under -v only
        self.tune(entry("cascade", params={"tile": "99999"}))
        self.assertEqual(self.params()[1], "default")
        self.params("-p", "tile=8")

    @cli.needs(PARTICULAR)
    def test_given_up(self):
        """A tuned value that is invalid on this machine never stops a run that would work without it."""
        for where in ("query", "setup"):
            for isolate in ("--isolate=never", "--isolate=always"):
                self.tune(entry("particular", path=PARTICULAR, params={"declines": where, "width": "9"}))
                args = ["particular", *SMALL, "--plugin", PARTICULAR, isolate]
                result, said = self.run_it(*args)
                self.assertEqual((result["value"], result["params"], result["params_from"], result["params_note"]),
                                 ("1024", {"declines": "nowhere", "width": 8}, "default", None), (where, isolate))
                self.assertIn("parameters of 'particular' are reset to the defaults", said)
                self.assertIn("declines=" + where, said)
                self.good("--run", *args)
                # A value that the user set is not dropped.
                done = self.redhost("--run", *args, "-p", "declines=" + where)
                self.assertIn(done.code, (2, 4), done)
                row = self.bench("-s", "particular", "--plugin", PARTICULAR, isolate)
                self.assertEqual((row["status"], row["params_from"], row["params"]["width"]), ("ok", "default", 8))

    def bench(self, *args):
        (row,) = self.json("--bench", *SMALL[:4], "--once", *args, quiet=False)["results"]
        return row

    def test_bench(self):
        self.tune(entry("cascade", params={"tile": "64"}))
        for args in ([], ["--isolate"]):
            row = self.bench("-s", "cascade", *args)
            self.assertEqual((row["params"]["tile"], row["params_from"]), (64, "tuned"), args)
            row = self.bench("-s", "cascade", "-p", "tile=32", *args)
            self.assertEqual((row["params"]["tile"], row["params_from"]), (32, "user"), args)
            row = self.bench("-s", "two_stage", *args)
            self.assertEqual(row["params_from"], "default", args)


class File(TunedCase):
    def test_damaged(self):
        """Whatever is wrong with it: unit.tuned_contents."""
        self.tune(text='{"schema": "redhost-tuned/1", "devices": [{}]}')
        done = self.good("--run", "auto", *SMALL, quiet=False)
        self.assertRegex(done.err, r"\Aredhost: [^\n]*/tuned\.json: devices\[0\]: device: is missing[^\n]*renamed to tuned\.json\.bad[^\n]*\.\n\Z")
        self.assertNotIn("measured here at", self.choice(*SMALL))
        self.assertEqual([name for name in self.cache_files() if "tuned" in name], ["tuned.json.bad"])
        self.good("--run", "auto", *SMALL)

    def test_directory_of_others(self):
        """Nothing there is trusted or changed, whoever wrote the file; --tune cannot store anything."""
        self.tune(entry("cascade", 1e-6))
        cache = os.path.dirname(self.file)
        before = sorted(os.listdir(cache))
        os.chmod(cache, 0o777)
        warning = (r"\Aredhost: [^\n]* is not trusted: %s is writable by everyone \(mode 0777\); continuing without "
                   r"compiled programs and tuning results[^\n]*\n\Z" % re.escape(cache))
        for args in ((), ("--isolate",)):
            self.assertRegex(self.good("--run", "auto", *SMALL, *args, quiet=False).err, warning)
        self.assertEqual(sorted(os.listdir(cache)), before)
        done = self.redhost("--tune", "-n", "2^10", "-s", "serial")
        self.assertEqual((done.code, done.out), (6, ""), done)
        self.assertRegex(done.err, "the cache, whose directory is not trusted: name another one with --cache-dir")

    def test_quiet(self):
        self.tune(text="{")
        self.assertEqual(self.value("--run", "auto", *SMALL), "1024")

    def test_every_way_in(self):
        """One warning, whichever part finds the damage first."""
        for args in (["--run", "cascade", *SMALL], ["--run", "cascade", *SMALL, "--isolate"], [],
                     ["--bench", "-s", "cascade", *SMALL[:4], "--once"],
                     ["--bench", "-s", "cascade", *SMALL[:4], "--once", "--isolate"]):
            self.tune(text="{")
            done = self.good(*args, quiet=False)
            self.assertEqual(len(re.findall("tuned.json.bad", done.err)), 1, done)

    def test_summary(self):
        self.assertIn("tuned       not yet on this device   redhost --tune\n", self.good().out)
        self.tune(entry("cascade", 1e-6))
        self.assertIn("tuned       1 entry for this device   redhost --tune\n", self.good().out)
        self.tune(entry("cascade", 1e-6), entry("two_stage", 1e-6), entry("tiled_4", failed=True))
        self.assertIn("tuned       2 entries for this device   redhost --tune\n", self.good().out)
        self.assertEqual(self.json()["tuned"], 2)
        self.tune(entry("cascade", 1e-6), driver="570.1")
        self.assertIn("not yet", self.good().out)


@unittest.skipUnless(os.path.exists(BREAKS_ORDER), "no zoo: REDHOST_TEST_ZOO")
class BrokenPromise(TunedCase):
    """A strategy that promises the canonical order and breaks it: within every bound, and yet not to be relied on."""
    BROKEN = r"strategy 'breaks_order' promises the canonical order and breaks it: sum of \d+ elements of f32 is \S+ instead of \S+\.\n"
    ARGS = ("-n", "4096", "--plugin", BREAKS_ORDER)

    def blamed(self):
        return [e["strategy"] for device in self.tuned() for e in device["entries"] if e.get("failed")]

    def test_tune(self):
        done = self.redhost("--tune", "-n", "4096", "-s", "breaks_order", "--plugin", BREAKS_ORDER)
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.err, r"\Aredhost: breaks_order, sum f32 2\^12: not tuned, its result is wrong: " + self.BROKEN)
        self.assertEqual(self.blamed(), ["breaks_order"])
        self.good("--tune", "-n", "4096", "-s", "breaks_order", "--plugin", BREAKS_ORDER, "--op", "min")


class Trial(TunedCase):
    """What is measured where nobody tuned: who is faster does not matter here."""
    UNKNOWN = ["-n", "1024", "-t", "i16", "--data", "equal"]  # to the defaults that come with redhost
    OF_THE_HOST = {**cli.NO_PLATFORM, "REDHOST_NO_MEASURE": ""}
    SAID = r"(?m)^redhost: auto: measured once, as little was known of sum of i16 here: native at 2\^10 \S+ \S+.*; \S+ s\. Option --no-measure " \
           r"leaves it out\.$"

    def said(self, *args, **env):
        done = self.good("--run", "auto", *self.UNKNOWN, *args, "-v", quiet=False, env={**self.OF_THE_HOST, **env})
        return done.err

    def test_once(self):
        self.assertNotIn("measured once", self.said("--no-measure"))
        self.assertNotIn("measured once", self.said(REDHOST_NO_MEASURE="1"))
        self.assertNotIn("measured once", self.said("--no-cache"))
        self.assertFalse(os.path.exists(self.file))
        self.assertRegex(self.said(), self.SAID)
        (device,) = self.tuned()
        self.assertEqual({(e["strategy"], e["n"], e["trial"]) for e in device["entries"]} - {("serial", 1024, True)},
                         {("native", 1024, True)})
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)
        self.assertNotIn("measured once", self.said())
        self.assertIn("little was known of min of i16 here", self.said("--op", "min"))
        self.assertNotIn("measured once", self.said("--op", "min"))
        self.assertRegex(self.good("--run", "auto", *self.UNKNOWN, "-q", quiet=False, env=self.OF_THE_HOST).err, r"\A\Z")

    def test_operators_of_ones_own(self):
        """Each is measured itself, whatever is known of the built-in one that it is based on."""
        masked = ["--op", "max", "--where", "x == x"]
        self.tune(entry("cascade", 1e-9, op="max", type="i16"))
        for words in (r"measured once, as little was known of max [^\n]* of i16 here: native at 2\^10 ", r"auto: native, measured here at 2\^10: "):
            said = self.good("--run", "auto", *self.UNKNOWN, *masked, "-v", quiet=False, env={"REDHOST_NO_MEASURE": ""}).err
            self.assertRegex(said, words)
            self.assertRegex(said, r"auto: (native|serial), measured here at 2\^10: ")
        self.assertNotIn("measured once", said)
        own = {e["own"] if "own" in e else e["op"] for device in self.tuned() for e in device["entries"] if e.get("trial")}
        self.assertTrue(all(op.startswith("own:") for op in own), own)

    def test_tune_does_not_count_them(self):
        """They are neither what --tune found nor the parameters of a later run."""
        self.said()
        self.assertEqual(self.json(env=cli.NO_PLATFORM)["tuned"], 0)
        entries = [{**entry("cascade", 1e-9, params={"tile": "64"}), "trial": True}, entry("cascade", 2e-9, op="max", params={"tile": "32"})]
        self.tune(*entries)
        (result,) = self.json("--run", "cascade", *SMALL)["results"]
        self.assertEqual(result["params"]["tile"], 32)
        self.assertIn("cascade, measured here at 2^10: 1 ns a call", self.choice(*SMALL))


@unittest.skipUnless(os.path.exists(FAULTS), "no zoo: REDHOST_TEST_ZOO")
class GoesOn(TunedCase):
    """`auto' takes the next strategy if the one that it chose cannot be used."""
    ARGS = ("-n", "1024", "-t", "i32", "--data", "equal", "--plugin", FAULTS)
    FAULTS = (("fail_in_setup", r", setup: no room for the [^\n]*"), ("decline_in_setup", " cannot run on the host: the groups are too small"),
              ("crash_in_setup", r" in [^\n]* crashed in setup [^\n]*"), ("crash_in_run", r" in [^\n]* crashed in run [^\n]*"),
              ("exit_in_run", r" in [^\n]* ended the process [^\n]*"))

    def tune_faults(self, *faults, **more):
        self.tune(*(entry("worker_" + fault, (k + 1) * 1e-9, path=FAULTS) for k, fault in enumerate(faults)), **more)

    def test_several(self):
        """Each is named, wherever it runs; it may work the next time."""
        for isolate, faults in (("always", self.FAULTS), ("never", self.FAULTS[:2])):
            self.tune_faults(*(fault for fault, _ in faults))
            done = self.good("--run", "auto", *self.ARGS, "--isolate=" + isolate, quiet=False)
            said = "".join(r"redhost: auto leaves it out: strategy 'worker_%s'%s\.\n" % fault for fault in faults)
            self.assertRegex(done.err, r"\A%s\Z" % said)
            self.assertNotIn("worker_", done.out)
            self.assertRegex(self.run_it("auto", *self.ARGS, "--isolate=" + isolate)[0]["chosen"],
                             r"; left out after a failure: %s$" % ", ".join(sorted("worker_" + fault for fault, _ in faults)))
            self.assertNotIn('"failed"', json.dumps(self.tuned()))

    def test_what_another_one_would_not_mend(self):
        self.tune_faults("fail_in_setup")
        for args in (("--param", "groups=nothing"), ("-d", "no such device")):
            self.assertNotIn("leaves", self.redhost("--run", "auto", *self.ARGS, *args).err)
        done = self.redhost("--run", "worker_fail_in_setup", *self.ARGS)
        self.assertNotEqual(done.code, 0)
        self.assertNotIn("leaves", done.err)


@unittest.skipUnless(os.path.exists(os.path.join(WRONG, "drops_last.so")), "no wrong plugins: REDHOST_TEST_WRONG")
class Blame(TunedCase):
    SIZE = ["-n", "2000", "-t", "i32", "--data", "equal"]

    def setUp(self):
        super().setUp()
        self.place = os.path.join(self.home, self.id().rsplit(".", 1)[1] + "-plugins")
        os.mkdir(self.place)
        self.plugin = shutil.copy(os.path.join(WRONG, "drops_last.so"), self.place)
        self.args = [*self.SIZE, "--plugin-path", self.place]
        self.best = entry("drops_last", 1e-9, n=2048, path=self.plugin)

    def check_blamed(self):
        (blamed,) = [e for device in self.tuned() for e in device["entries"] if e.get("failed")]
        self.assertEqual(blamed, {"strategy": "drops_last", "plugin": hash_of(cli.read(self.plugin)), "op": "sum", "type": "i32",
                                  "n": 2000, "failed": True})
        self.assertEqual(os.stat(self.file).st_mode & 0o777, 0o600)

    def test_run(self):
        for isolate in ("never", "always"):
            self.assertEqual(self.redhost("--run", "drops_last", *self.args, "--isolate=" + isolate).code, 1)
            self.check_blamed()
            os.remove(self.file)

    def test_bench(self):
        for isolate in ("never", "always"):
            done = self.redhost("--bench", "-s", "drops_last", *self.args[:4], *self.args[6:], "--once",
                                "--isolate=" + isolate)
            self.assertEqual(done.code, 1, done)
            self.check_blamed()
            os.remove(self.file)

    def test_right_ones_are_not(self):
        self.good("--run", "drops_last", "-n", "500", *self.args[2:])
        self.redhost("--run", "drops_last", *self.args, "--no-cache")
        self.redhost("--run", "drops_last", *self.args, "--no-check")
        self.assertFalse(os.path.exists(self.file))



class Shipped(cli.Case):
    def test_names(self):
        """Every strategy and parameter in the defaults exists."""
        known = {s["name"]: s for s in self.json("--list")["strategies"]}
        for path in glob.glob(os.path.join(DEFAULTS, "*.json")):
            for e in json.loads(cli.text(path))["entries"]:
                self.assertIn(e["strategy"], known, path)
                self.assertNotIn("plugin", e)
                self.assertFalse(e.get("failed"))
                keys = {p["key"] for p in known[e["strategy"]].get("params", [])}
                self.assertLessEqual(set(e["params"]), keys, path)

    def test_script(self):
        """scripts/tuned-defaults generates them from the output of --tune."""
        script = os.path.join(cli.HERE, "..", "..", "scripts", "tuned-defaults")
        entries = [{"strategy": "b", "plugin": "1" * 16, "op": "sum", "type": "f32", "n": 2048, "time_s": 1.23456e-5,
                    "params": {"z": "1", "a": "2"}},
                   {"strategy": "a", "plugin": "1" * 16, "op": "sum", "type": "f32", "n": 1024, "latency_s": 7e-6},
                   {"strategy": "a", "op": "sum", "type": "f32", "n": 1024, "length": 4, "distribution": "uniform", "params": {"a": "2"}},
                   {"strategy": "a", "op": "max", "type": "f32", "n": 1, "failed": True}]
        self.write("t.json", json.dumps({"schema": "redhost-tuned/1", "devices": [
            {"platform": "P", "device": "Board", "driver": "1", "entries": entries},
            {"device": "host", "entries": []}]}))
        self.write("before.json", json.dumps({"schema": "redhost-tuned/1", "entries": [
            {"strategy": "a", "op": "sum", "type": "f32", "n": 1024, "time_s": 9e-6}, {"strategy": "a", "op": "sum", "type": "f32", "n": 512}]}))
        done = self.redhost("before.json", "t.json", "--name=Boards", "--family=capable", "--match", "kind=gpu", "--match", "vendor_id=7", program=script)
        self.assertEqual((done.code, done.err), (0, ""), done)
        made = json.loads(done.out)
        self.assertEqual(made["match"], {"kind": "gpu", "vendor_id": 7})
        self.assertEqual(made["family"], "capable")
        self.assertEqual(made["entries"], [
            {"strategy": "a", "op": "sum", "type": "f32", "n": 512, "params": {}},
            {"strategy": "a", "op": "sum", "type": "f32", "n": 1024, "params": {}, "latency_s": 7e-6},
            {"strategy": "b", "op": "sum", "type": "f32", "n": 2048, "params": {"a": "2", "z": "1"}, "time_s": 1.23e-5},
            {"strategy": "a", "op": "sum", "type": "f32", "n": 1024, "length": 4, "distribution": "uniform", "params": {}}])
        for args in (["t.json", "--name=x", "--family=f"], ["t.json", "--name=x", "--match", "kind=gpu"],
                     ["t.json", "--name=x", "--family=f", "--match", "kind=gpu", "--device", "none"]):
            self.assertNotEqual(self.redhost(*args, program=script).code, 0)
