"""All records of a campaign compared: results, what is shown whole, what times are worth."""
