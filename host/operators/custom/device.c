/* The OpenCL C of an operator, which stands before kernels/prelude. */
#include "internal.h"

/* The name that kernels have for it in memory. */
static const char *memory_type(rh_type type) {
  return rh_expr_type_name(type == RH_TYPE_f16 ? RH_TYPE_u16 : type);
}

static const char *value_type(rh_type type) {
  return type == RH_TYPE_f16 ? "float" : memory_type(type);
}

static void write_operands(const rh_custom *self, rh_text *to) {
  const rh_operand *largest = &self->operands[0];
  for (uint32_t k = 1; k < self->face.n_operands; k++)
    if (rh_type_size(self->operands[k].type) > rh_type_size(largest->type))
      largest = &self->operands[k];
  rh_text_add(to, "#define RH_CUSTOM 1\n#define RH_MEMORY %s\n#define RH_OPERAND_LIST(X)",
              memory_type(largest->type));
  for (uint32_t k = 0; k < self->face.n_operands; k++) {
    rh_type type = self->operands[k].type;
    rh_text_add(to, " X(%u, %s, %s)", k, memory_type(type), rh_expr_type_name(type));
  }
  rh_text_add(to, "\n");
  if (self->op.n_operands)
    rh_text_add(to, "#define RH_HAS_OPERANDS 1\n#define RH_CONSTANT_WORDS %u\n",
                self->op.constants_size / RH_CONSTANT_BYTES);
}

static void write_head(const rh_custom *self, const char *type, const char *name, rh_text *to) {
  rh_text_add(to, "static inline %s %s(", type, name);
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    rh_text_add(to, "%s x%u, ", value_type(self->operands[k].type), k);
  rh_text_add(to, "ulong i, const ulong *constants) {\n");
}

/* `i` is the kernel's index, or that and the number before the end of the constants. */
static const char *index_of(const rh_custom *self, rh_expr_name text) {
  uint32_t words = self->op.constants_size / RH_CONSTANT_BYTES;
  if (!self->face.has_base) return "i";
  snprintf(text, sizeof(rh_expr_name), "(i + constants[%u])", words - 1);
  return text;
}

/* The function that loads an element of its operands' values, the index and the constants;
 * outputs[k] receives output k's name. */
static void write_load(const rh_custom *self, const char *type, const char *name, rh_text *to,
                       rh_expr_name *outputs) {
  rh_expr_name names[RH_MOST_OPERANDS], index;
  write_head(self, type, name, to);
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    snprintf(names[k], sizeof names[k], "x%u", k);
  rh_exprs_write(self->load, to, (const rh_expr_name *)names, index_of(self, index), "constants",
                 "m", outputs);
}

static void write_value(const rh_custom *self, rh_expr_name *fields, rh_text *to) {
  rh_text_add(to, "rh_value value = {");
  for (uint32_t k = 0; k < self->n_fields; k++) rh_text_add(to, "%s%s", k ? ", " : "", fields[k]);
  rh_text_add(to, "};\nreturn value;\n}\n");
}

/* The identity is written by its bits, which a decimal number may not give. */
static void write_identity(const rh_custom *self, rh_text *to) {
  rh_expr_name fields[RH_MOST_FIELDS];
  rh_text_add(to, "static inline rh_value rh_struct_identity(void) {\n");
  for (uint32_t k = 0; k < self->n_fields; k++) {
    const rh_operator_field *field = &self->fields[k];
    const char *type = memory_type(field->type);
    uint64_t bits = 0;
    memcpy(&bits, self->identity + field->offset, rh_type_size(field->type));
    if (rh_type_is_float(field->type))
      snprintf(fields[k], sizeof fields[k], "as_%s((%s)0x%llxul)", type,
               field->type == RH_TYPE_f64 ? "ulong" : "uint", (unsigned long long)bits);
    else snprintf(fields[k], sizeof fields[k], "(%s)0x%llxul", type, (unsigned long long)bits);
  }
  write_value(self, fields, to);
}

static void write_combine(const rh_custom *self, rh_text *to) {
  rh_expr_name names[2 * RH_MOST_FIELDS], outputs[RH_MOST_FIELDS];
  for (uint32_t k = 0; k < self->n_fields; k++) {
    snprintf(names[k], sizeof names[k], "a.f%u", k);
    snprintf(names[self->n_fields + k], sizeof names[k], "b.f%u", k);
  }
  rh_text_add(to, "static inline rh_value rh_struct_combine(rh_value a, rh_value b) {\n");
  rh_exprs_write(self->combine, to, (const rh_expr_name *)names, "0", "0", "c", outputs);
  write_value(self, outputs, to);
}

/* ---- Fields that all values of as many elements have in common, such as their number ---- */

/* The load of such a field does not depend on the element, and its combination depends on fields
 * like it alone.  Kernels need not exchange them between work-items that have as many elements
 * each; their compiler knows them then, and what depends on them alone. */
static void write_uniform(const rh_custom *self, rh_text *to) {
  uint64_t uniform = 0;
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (!rh_exprs_variables(self->load, k) && !(rh_exprs_facts(self->load, k) & RH_EXPR_USES_INDEX))
      uniform |= UINT64_C(1) << k;
  uniform = rh_custom_closed(self, uniform);
  if (!uniform) return;
  rh_text_add(to, "#define RH_VARYING_FIELDS(X)");
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (!(uniform >> k & 1)) rh_text_add(to, " X(%s, f%u)", memory_type(self->fields[k].type), k);
  rh_text_add(to, "\n");
}

/* The user's text calls its functions as plugins' kernels do. */
static void write_code(const rh_custom *self, rh_text *to) {
  static const char *const functions[] = {"load", "combine", "identity"};
  rh_expr_name index;
  for (uint32_t k = 0; k < self->face.n_operands; k++)
    rh_text_add(to, "typedef %s rh_%s;\n", value_type(self->operands[k].type),
                self->operands[k].name);
  for (int k = 0; k < 3; k++)
    rh_text_add(to, "#define rh_%s rh_code_%s\n", functions[k], functions[k]);
  rh_text_add(to, "%s\n#line 1 \"operator.cl\"\n", self->code->text);
  for (int k = 0; k < 3; k++) rh_text_add(to, "#undef rh_%s\n", functions[k]);
  rh_text_add(to, "static inline rh_value rh_struct_identity(void) {\n"
                  "return rh_code_identity();\n}\n"
                  "static inline rh_value rh_struct_combine(rh_value a, rh_value b) {\n"
                  "return rh_code_combine(a, b);\n}\n");
  write_head(self, "rh_value", "rh_struct_load", to);
  rh_text_add(to, "return rh_code_load(");
  for (uint32_t k = 0; k < self->face.n_operands; k++) rh_text_add(to, "x%u, ", k);
  rh_text_add(to, "%s);\n}\n", index_of(self, index));
}

static void write_struct(const rh_custom *self, rh_text *to) {
  rh_expr_name outputs[RH_MOST_FIELDS];
  /* rh_value is made of them, and so is what kernels keep the fields of many values in. */
  rh_text_add(to, "#define RH_FIELDS(X)");
  for (uint32_t k = 0; k < self->n_fields; k++)
    if (self->code)
      rh_text_add(to, " X(%s, %s)", memory_type(self->fields[k].type), self->fields[k].name);
    else rh_text_add(to, " X(%s, f%u)", memory_type(self->fields[k].type), k);
  rh_text_add(to, "\n#define RH_STRUCT 1\n#define RH_MEMBER(type, name) type name;\n"
                  "typedef struct {\nRH_FIELDS(RH_MEMBER)\n} rh_value;\n");
  if (self->code) {
    write_code(self, to);
    return;
  }
  write_identity(self, to);
  write_load(self, "rh_value", "rh_struct_load", to, outputs);
  write_value(self, outputs, to);
  write_combine(self, to);
  write_uniform(self, to);
}

char *rh_custom_prelude(const rh_operator *face) {
  const rh_custom *self = rh_custom_of(face);
  rh_text text = {0};
  rh_text_add(&text, "#pragma OPENCL FP_CONTRACT OFF\n");
  if (self->face.uses_f64) rh_text_add(&text, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
  write_operands(self, &text);
  rh_exprs_write_helpers(&text);
  if (self->face.is_struct) {
    write_struct(self, &text);
  } else {
    rh_expr_name output;
    const char *type = rh_type_name(self->face.type);
    rh_text_add(&text, "#define RH_OP_%s 1\n#define RH_TYPE_%s 1\n#define RH_MAP 1\n",
                rh_op_name(self->face.base), type);
    write_load(self, memory_type(self->face.type), "rh_map", &text, &output);
    rh_text_add(&text, "return %s;\n}\n", output);
  }
  rh_prelude_append(&text);
  if (text.failed) rh_text_finish(&text);
  return text.s;
}
