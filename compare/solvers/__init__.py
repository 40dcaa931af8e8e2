"""SAT solvers on trial: what they are asked, what is known of the answers by other means, and what is wrong with theirs."""
