/* A small SAT solver with the IPASIR interface: it tries values one variable after the other. A fault is planted by -D:
   KEEPS_ASSUMPTIONS: assumptions stay for all later calls.
   NO_CORE: ipasir_failed says no of every assumption.
   LOSES_CLAUSES: a clause of three literals or more that is added after a first call to ipasir_solve is lost.
   WRONG_VALUE: ipasir_val says the opposite of the last variable's value.
   ONE_SIGN: ipasir_val says of a negative literal what holds for its variable.
   ODD_STATUS: ipasir_solve returns 30 where there is no model. */
#include <stdlib.h>

struct solver {
  int *literals, literal_count;   /* clauses, each followed by 0 */
  int *assumed, assumed_count, ended; /* ended: the assumptions belong to a call that is over */
  int *clause, clause_count;      /* the clause that is being added */
  signed char *value;
  int variables, calls;
};

static int *pushed(int *list, int *count, int item) {
  list = realloc(list, sizeof(int) * (size_t)(*count + 1));
  list[(*count)++] = item;
  return list;
}

static void know(struct solver *s, int literal) {
  int variable = abs(literal);
  if (variable <= s->variables) return;
  s->value = realloc(s->value, (size_t)variable + 1);
  for (int v = s->variables + 1; v <= variable; v++) s->value[v] = 0;
  s->variables = variable;
}

const char *ipasir_signature(void) { return "small"; }

void *ipasir_init(void) {
  struct solver *s = calloc(1, sizeof(struct solver));
  s->value = calloc(1, 1);
  return s;
}

void ipasir_release(void *solver) {
  struct solver *s = solver;
  free(s->literals); free(s->assumed); free(s->clause); free(s->value); free(s);
}

void ipasir_add(void *solver, int literal) {
  struct solver *s = solver;
  if (literal) { know(s, literal); s->clause = pushed(s->clause, &s->clause_count, literal); return; }
#ifdef LOSES_CLAUSES
  if (s->calls && s->clause_count >= 3) { s->clause_count = 0; return; }
#endif
  for (int k = 0; k < s->clause_count; k++) s->literals = pushed(s->literals, &s->literal_count, s->clause[k]);
  s->literals = pushed(s->literals, &s->literal_count, 0);
  s->clause_count = 0;
}

void ipasir_assume(void *solver, int literal) {
  struct solver *s = solver;
#ifndef KEEPS_ASSUMPTIONS
  if (s->ended) s->assumed_count = 0;
#endif
  s->ended = 0;
  know(s, literal);
  s->assumed = pushed(s->assumed, &s->assumed_count, literal);
}

/* Whether no clause is false yet. */
static int possible(struct solver *s) {
  int open = 0;
  for (int k = 0; k < s->literal_count; k++) {
    int literal = s->literals[k];
    if (literal == 0) { if (!open) return 0; open = 0; }
    else if (s->value[abs(literal)] != (literal > 0 ? -1 : 1)) open = 1;
  }
  return 1;
}

static int search(struct solver *s, int variable) {
  if (!possible(s)) return 0;
  while (variable <= s->variables && s->value[variable]) variable++;
  if (variable > s->variables) return 1;
  for (int sign = -1; sign <= 1; sign += 2) {
    s->value[variable] = (signed char)sign;
    if (search(s, variable + 1)) return 1;
  }
  s->value[variable] = 0;
  return 0;
}

int ipasir_solve(void *solver) {
  struct solver *s = solver;
#ifndef KEEPS_ASSUMPTIONS
  if (s->ended) s->assumed_count = 0;
#endif
  s->ended = 1;
  s->calls++;
  int contradiction = 0;
  for (int v = 1; v <= s->variables; v++) s->value[v] = 0;
  for (int k = 0; k < s->assumed_count; k++) {
    signed char sign = s->assumed[k] > 0 ? 1 : -1;
    if (s->value[abs(s->assumed[k])] == -sign) contradiction = 1;
    s->value[abs(s->assumed[k])] = sign;
  }
  if (!contradiction && search(s, 1)) return 10;
#ifdef ODD_STATUS
  return 30;
#else
  return 20;
#endif
}

int ipasir_val(void *solver, int literal) {
  struct solver *s = solver;
  int variable = abs(literal);
  if (variable > s->variables) return 0;
  int sign = s->value[variable];
#ifdef WRONG_VALUE
  if (variable == s->variables) sign = -sign;
#endif
#ifdef ONE_SIGN
  return sign * literal;
#endif
  return sign * variable;
}

int ipasir_failed(void *solver, int literal) {
  (void)solver; (void)literal;
#ifdef NO_CORE
  return 0;
#else
  return 1;
#endif
}

void ipasir_set_terminate(void *solver, void *state, int (*terminate)(void *)) { (void)solver; (void)state; (void)terminate; }
void ipasir_set_learn(void *solver, void *state, int longest, void (*learn)(void *, int *)) {
  (void)solver; (void)state; (void)longest; (void)learn;
}
