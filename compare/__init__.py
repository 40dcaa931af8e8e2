"""The harness: run every backend on the same boards, relate and check the answers, tabulate speed."""
