"""The workers: who starts them, who keeps them, what stands beside them, here or on a cluster."""
