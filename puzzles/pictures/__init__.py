"""Pictures as SVG: what every picture is drawn with, and those of puzzles without a picture of their own."""
