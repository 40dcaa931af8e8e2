"""How a contender is run, judged, recorded and compared, and how a fault is made smaller."""
