#!/usr/bin/env python3
"""The structs of the package lie in memory as those of redhost.h: a C program says where each field is."""
import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

from redhost import _abi

STRUCTS = {"Error": "rh_error", "Reporter": "rh_reporter", "Options": "rh_options", "Setting": "rh_setting",
           "Input": "rh_input", "Constant": "rh_constant", "Segmentation": "rh_segmentation", "Output": "rh_output",
           "Request": "rh_request", "Field": "rh_result_field", "Result": "rh_result", "CallSpec": "rh_call_spec"}


def compiled(lines):
    """What a C program with these lines prints."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <redhost/redhost.h>\n#include <stdio.h>\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
        subprocess.run([sys.argv[1], "-I", sys.argv[2], source, "-o", program], check=True)
        return subprocess.run([program], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")[:-1]


class Layout(unittest.TestCase):
    def test_every_field_is_where_the_header_has_it(self):
        lines, own = [], []
        for name, c_name in STRUCTS.items():
            struct = getattr(_abi, name)
            lines.append(f'printf("{c_name} %zu\\n", sizeof({c_name}));')
            own.append(f"{c_name} {ctypes.sizeof(struct)}")
            for field, _ in struct._fields_:
                lines.append(f'printf("{c_name}.{field} %zu %zu\\n", offsetof({c_name}, {field}), '
                             f'sizeof((({c_name} *)0)->{field}));')
                place = getattr(struct, field)
                own.append(f"{c_name}.{field} {place.offset} {place.size}")
        self.assertEqual(compiled(lines), own)

    def test_numbers_and_names_are_those_of_the_header(self):
        types = compiled(['#define T(name, number, bytes) printf("%d " #name " %d\\n", number, bytes);', "RH_TYPE_LIST(T)"])
        self.assertEqual(types, [f"{k} {name} {_abi.SIZES[k]}" for k, name in enumerate(_abi.TYPES) if name])
        self.assertEqual(compiled(['printf("%d %d\\n", RH_MOST_AXES, RH_MOST_RESULTS);']), [f"{_abi.MOST_AXES} 16"])

    def test_every_function_that_is_called_is_declared(self):
        header = os.path.join(sys.argv[2], "redhost", "redhost.h")
        with open(header, encoding="utf-8") as file:
            text = file.read()
        for name in _abi.SIGNATURES:
            self.assertIn(f"{name}(", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
