#include "definition.h"

#include <stdlib.h>

void rh_definition_finish(rh_definition *definition) {
  free(definition->summary);
  free(definition->origin);
  free(definition->ops);
  free(definition->map);
  for (uint32_t k = 0; k < definition->n_fields; k++) {
    free(definition->fields[k].load);
    free(definition->fields[k].identity);
    free(definition->fields[k].combine);
  }
  for (uint32_t k = 0; k < definition->n_lets; k++) free(definition->lets[k].text);
  for (uint32_t k = 0; k < definition->n_results; k++) free(definition->results[k].text);
  *definition = (rh_definition){0};
}
