#include "deal.h"
#include "../../core/base/clock.h"
#include "../../core/base/error.h"
#include "../../core/base/log.h"
#include "../../core/base/vocabulary.h"

#include <stdlib.h>
#include <string.h>

rh_status rh_deal_init(rh_deal *deal, const rh_source *source, uint64_t chunk_n, uint32_t n_hands,
                       rh_error *error) {
  uint64_t n = source->n;
  *deal = (rh_deal){.source = source, .chunk_n = chunk_n, .n = n, .n_hands = n_hands};
  deal->end = n == UINT64_MAX ? n : n / chunk_n + (n % chunk_n != 0);
  deal->hands = calloc(n_hands, sizeof *deal->hands);
  deal->returned = calloc((size_t)n_hands * RH_RING_MOST_SLOTS, sizeof *deal->returned);
  if (!deal->hands || !deal->returned) {
    free(deal->hands);
    free(deal->returned);
    *deal = (rh_deal){0};
    return rh_fail(error, RH_E_NOMEM, "no memory to deal chunks to devices");
  }
  pthread_mutex_init(&deal->lock, NULL);
  pthread_mutex_init(&deal->in_order, NULL);
  pthread_cond_init(&deal->changed, NULL);
  return RH_OK;
}

void rh_deal_finish(rh_deal *deal) {
  if (!deal->hands) return;
  pthread_cond_destroy(&deal->changed);
  pthread_mutex_destroy(&deal->in_order);
  pthread_mutex_destroy(&deal->lock);
  free(deal->hands);
  free(deal->returned);
  *deal = (rh_deal){0};
}

void rh_deal_only(rh_deal *deal, uint64_t first, uint64_t end) {
  deal->next = first;
  deal->end = end;
}

/* ---- Which hand should have a chunk ---- */

/* Chunks a second; 0: not known yet. */
static double speed_of(const rh_deal_hand *hand, double now) {
  return hand->done && now > hand->begin_s ? (double)hand->done / (now - hand->begin_s) : 0;
}

/* A slow hand takes one more only if its value would be there before the others were done without
 * it, or one chunk later, for the fastest may be in the middle of one.  The fastest always may, so
 * that somebody does.  Hands whose speed is unknown may, too: that is how it becomes known. */
static int should_have(const rh_deal *deal, const rh_deal_hand *mine) {
  double now = rh_now(), all = 0, fastest = 0, speed = speed_of(mine, now);
  uint64_t left = deal->end - deal->next + deal->n_returned;
  if (deal->n_hands == 1 || deal->end == UINT64_MAX || deal->source->in_order || speed == 0)
    return 1;
  for (uint32_t k = 0; k < deal->n_hands; k++) {
    const rh_deal_hand *hand = &deal->hands[k];
    if (hand->is_gone) continue;
    double other = speed_of(hand, now);
    all += other;
    if (other > fastest) fastest = other;
    left += hand->n_held;
  }
  return speed >= fastest || (mine->n_held + 1) / speed <= (double)left / all + 1 / fastest;
}

/* May another hand return chunks yet? */
static int others_hold(const rh_deal *deal, uint32_t hand) {
  for (uint32_t k = 0; k < deal->n_hands; k++)
    if (k != hand && deal->hands[k].n_held) return 1;
  return 0;
}

static int is_over(const rh_deal *deal, uint32_t hand, const atomic_int *stop) {
  if (atomic_load(stop) || deal->hands[hand].is_gone) return 1;
  if (deal->next < deal->end || deal->n_returned) return 0;
  return deal->source->in_order || !others_hold(deal, hand);
}

static uint64_t take_chunk(rh_deal *deal) {
  return deal->n_returned ? deal->returned[--deal->n_returned] : deal->next++;
}

int rh_deal_next(rh_deal *deal, uint32_t hand, const atomic_int *stop, uint64_t *index) {
  rh_deal_hand *mine = &deal->hands[hand];
  int is_dealt = 0;
  pthread_mutex_lock(&deal->lock);
  while (!is_over(deal, hand, stop) && !is_dealt) {
    is_dealt = (deal->next < deal->end || deal->n_returned) && should_have(deal, mine);
    if (!is_dealt) pthread_cond_wait(&deal->changed, &deal->lock);
  }
  if (is_dealt) {
    *index = take_chunk(deal);
    mine->held[mine->n_held++] = *index;
    if (mine->begin_s == 0) mine->begin_s = rh_now();
  }
  pthread_mutex_unlock(&deal->lock);
  return is_dealt;
}

/* ---- What became of a chunk ---- */

/* `lock` is held. */
static void let_go(rh_deal_hand *hand, uint64_t index) {
  uint32_t k = 0;
  while (k < hand->n_held && hand->held[k] != index) k++;
  if (k == hand->n_held) return;
  hand->n_held--;
  memmove(&hand->held[k], &hand->held[k + 1], (hand->n_held - k) * sizeof *hand->held);
}

void rh_deal_read(rh_deal *deal, uint32_t hand, uint64_t index, uint64_t n) {
  pthread_mutex_lock(&deal->lock);
  if (n < deal->chunk_n && index + (n > 0) < deal->end) deal->end = index + (n > 0);
  if (n == 0) let_go(&deal->hands[hand], index);
  pthread_cond_broadcast(&deal->changed);
  pthread_mutex_unlock(&deal->lock);
}

void rh_deal_done(rh_deal *deal, uint32_t hand, uint64_t index, uint64_t n) {
  pthread_mutex_lock(&deal->lock);
  let_go(&deal->hands[hand], index);
  deal->hands[hand].done++;
  deal->done_n += n;
  if (deal->n_hands > 1) pthread_cond_broadcast(&deal->changed);
  pthread_mutex_unlock(&deal->lock);
}

int rh_deal_give_up(rh_deal *deal, uint32_t hand) {
  rh_deal_hand *mine = &deal->hands[hand];
  uint32_t others = 0;
  pthread_mutex_lock(&deal->lock);
  for (uint32_t k = 0; k < deal->n_hands; k++) others += k != hand && !deal->hands[k].is_gone;
  mine->is_gone = 1;
  while (mine->n_held) deal->returned[deal->n_returned++] = mine->held[--mine->n_held];
  pthread_cond_broadcast(&deal->changed);
  pthread_mutex_unlock(&deal->lock);
  return others > 0;
}

void rh_deal_wake(rh_deal *deal) {
  pthread_mutex_lock(&deal->lock);
  pthread_cond_broadcast(&deal->changed);
  pthread_mutex_unlock(&deal->lock);
}

rh_status rh_deal_report(rh_deal *deal, const rh_reporter *reporter, rh_error *error) {
  const rh_source *source = deal->source;
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < source->n_operands; k++) bytes += rh_type_size(source->types[k]);
  pthread_mutex_lock(&deal->lock);
  uint64_t done = deal->done_n;
  pthread_mutex_unlock(&deal->lock);
  return rh_progress(reporter, "streaming", done * bytes,
                     source->n == UINT64_MAX ? 0 : source->n * bytes, error);
}
