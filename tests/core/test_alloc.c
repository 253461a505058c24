/* Memory: zeroed, never of a wrapped size; lists that grow; copies. */
#include "../../host/core/base/base.h"
#include "../suite/suite.h"

TEST(zeroed_memory_or_a_sentence) {
  double *list = NULL;
  must(RH_NEW(&list, 1000, "a list", &error));
  for (int k = 0; k < 1000; k++) ck_assert(list[k] == 0);
  free(list);
  must(RH_NEW(&list, 0, "a list", &error));
  ck_assert_ptr_nonnull(list);
  free(list);
  /* 2^61 + 1 doubles are 8 bytes, if the product wraps. */
  list = (double *)&error;
  ck_assert_int_eq(RH_NEW(&list, (UINT64_C(1) << 61) + 1, "a list", &error), RH_E_NOMEM);
  ck_assert_ptr_null(list);
  ck_assert_str_eq(error.message, "no memory for a list");
}

TEST(a_list_grows_and_keeps_what_it_has) {
  uint32_t *list = NULL, n = 0;
  for (int round = 0; round < 2; round++) {
    for (; n < 5000; n++) {
      must(RH_ROOM(&list, n, "a list", &error));
      list[n] = 3 * n;
    }
    n = round ? n : 900; /* a list that was shortened has its room still */
  }
  for (uint32_t k = 0; k < n; k++) ck_assert_uint_eq(list[k], 3 * k);
  free(list);
}

TEST(a_list_without_room_is_as_it_was) {
  double number = 5, *list = &number;
  ck_assert_int_eq(RH_ROOM(&list, UINT64_C(1) << 61, "a list", &error), RH_E_NOMEM);
  ck_assert_ptr_eq(list, &number);
}

TEST(copies) {
  char *copy = NULL;
  ck_assert_int_eq(rh_copy(&copy, "word", "a word", NULL), RH_OK);
  ck_assert_str_eq(copy, "word");
  free(copy);
  ck_assert_int_eq(rh_copy(&copy, NULL, "a word", NULL), RH_OK);
  ck_assert_ptr_null(copy);
}
