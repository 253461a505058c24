"""Result files as --bench writes them, of a machine that does not exist: a curve for each strategy from a small model
(launches, a share of the read peak, a cache), with noise from a seed.  For the tests of pictures, and to look at them:

  plot_data.py small|many|devices|one >r.json
"""
import json
import random
import sys

SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f16": 2, "f32": 4, "f64": 8}
DEVICES = {
    "1:0": {"name": "NVIDIA H200", "type": "gpu", "platform": "NVIDIA CUDA", "driver": "580.159.04",
            "peak": 4.584e12, "launch": 2.3e-6},
    "0:0": {"name": "cpu-skylake-avx512-Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", "type": "cpu",
            "platform": "Portable Computing Language", "driver": "5.0+debian", "peak": 8.9e10, "launch": 1.1e-6},
}
EIGHT = ["cascade", "two_stage_float4", "one_pass", "tree_multi_stage", "subgroup", "tiled_4", "atomic", "serial"]
MANY = EIGHT + ["atomic_global", "blocked_builtin", "blocked_serial", "blocked_tree", "bottom_up", "builtin", "chunk",
                "cpu_serial", "cpu_serial_float4", "hybrid_tree", "partial_float4", "partial_scalar", "serial_device",
                "simple_1", "simple_2", "strided", "strided_full", "tiled_1", "tiled_2", "tiled_3", "top_down",
                "top_down_single", "tree_associative", "tree_commutative", "two_stage"]
PEERS = ["cub", "thrust", "openmp"]


class Model:
    """Seconds for n elements: fixed costs, plus bytes at a fraction of the peak that small inputs do not reach."""

    def __init__(self, rng, device, rank, of):
        spread = min(rank / max(of - 1, 1), 1)
        self.launches = 3 - rank % 3
        self.share = 0.985 * (1 - spread) ** 1.6 + 0.012 + 0.01 * rng.random()
        self.knee = 2.0 ** rng.uniform(19, 23)
        self.device = device
        self.limit = 1.0  # a run that takes longer is not tried

    def seconds(self, n, size):
        data = n * size
        share = self.share * (1 - 0.35 / (1 + data / self.knee))
        return self.launches * self.device["launch"] * 1.02 + data / (share * self.device["peak"])


def spread(rng, middle, noise):
    raw = sorted(middle * (1 + abs(rng.gauss(0, noise))) for _ in range(20))
    median = (raw[9] + raw[10]) / 2
    return {"median": median, "ci95": [raw[5], raw[14]], "mean": sum(raw) / 20, "min": raw[0], "max": raw[-1],
            "q1": raw[5], "q3": raw[14], "mad": median * noise * 0.67, "samples": 20, "batch": 32,
            "rounds": [median] * 5, "outliers": 0}


def row(rng, model, device, strategy, op, type_, n, peer):
    size = SIZES[type_]
    noise = 0.03 if strategy == "atomic" else 0.002
    time = spread(rng, model.seconds(n, size) * (1.3 if op.startswith("arg") else 1), noise)
    rate = n / time["median"]
    return {"device": device, "strategy": strategy, "peer": peer, "op": op, "type": type_, "n": n, "bytes": n * size,
            "params": {"tile": 256}, "params_from": "default", "status": "ok", "reason": None, "time_s": time,
            "latency_s": {"median": time["median"] + 1.2e-5, "ci95": [time["median"] + 1.1e-5, time["median"] + 1.3e-5],
                          "samples": 50},
            "elements_per_s": rate, "bytes_per_s": rate * size,
            "peak_fraction": rate * size / DEVICES[device]["peak"],
            "check": {"value": "1", "reference": "1", "ok": True}, "flags": ["noisy"] if noise > 0.01 else [],
            "outliers": 0, "passes": model.launches}


def make(ops=("sum",), types=("f32",), sizes=range(10, 29), strategies=EIGHT, peers=PEERS[:1], devices=("1:0",),
         seed=1, change=0.0):
    """A document.  `change` makes every second strategy slower by that share."""
    rng = random.Random(seed)
    results = []
    for device in devices:
        of = len(strategies)
        models = {name: Model(rng, DEVICES[device], k, of) for k, name in enumerate(strategies)}
        models.update({name: Model(rng, DEVICES[device], 3 * k + 1, 12) for k, name in enumerate(peers)})
        for op in ops:
            for type_ in types:
                for k in sizes:
                    for j, (name, model) in enumerate(models.items()):
                        entry = row(rng, model, device, name, op, type_, 2**k, name in peers)
                        if model.seconds(2**k, SIZES[type_]) > model.limit:
                            entry = {key: entry[key] for key in ("device", "strategy", "peer", "op", "type", "n", "bytes")}
                            entry.update(status="skipped", reason="one run takes longer than 1 s")
                        elif change and j % 2:
                            for key in ("median", "mean", "min", "max", "q1", "q3"):
                                entry["time_s"][key] *= 1 + change * j / 4
                            entry["time_s"]["rounds"] = [entry["time_s"]["median"]] * 5
                            entry["time_s"]["ci95"] = [x * (1 + change * j / 4) for x in entry["time_s"]["ci95"]]
                        results.append(entry)
    return document(results, devices)


def document(results, devices=("1:0",)):
    """Everything in a document except the rows."""
    return {
        "schema": "redhost/1",
        "tool": {"version": "0.1.0", "git": "a1b2c3d", "dirty": False, "build": "gcc 12.2 -O2"},
        "run": {"argv": ["redhost", "--bench"], "start": "2026-11-20T07:42:00Z", "wall_s": 4.1, "host": "node7",
                "os": "Linux 6.8", "complete": True},
        "devices": [dict(id=id_, key="%(platform)s|%(name)s|%(driver)s" % DEVICES[id_], compute_units=132,
                         **{key: DEVICES[id_][key] for key in ("name", "type", "platform", "driver")}) for id_ in devices],
        "calibration": [{"device": id_, "timer": "event", "launch_s": 3.5e-6, "empty_kernel_s": DEVICES[id_]["launch"],
                         "read_peak_Bps": DEVICES[id_]["peak"]} for id_ in devices],
        "settings": {"cache": "cold", "precision": 0.005, "max_time_s": 2, "min_samples": 20, "seed": 1, "data": "uniform"},
        "strategies": [], "results": results, "best": []}


KINDS = {
    "one": lambda: make(),
    "small": lambda: make(ops=("sum", "max", "argmin"), types=("f32", "f64", "i8"), peers=PEERS),
    "many": lambda: make(strategies=MANY, peers=PEERS),
    "devices": lambda: make(types=("f32", "i32"), devices=("1:0", "0:0")),
    "changed": lambda: make(seed=2, change=0.08),
}

if __name__ == "__main__":
    json.dump(KINDS[sys.argv[1]](), sys.stdout)
