"""English, as read in more than one country."""
