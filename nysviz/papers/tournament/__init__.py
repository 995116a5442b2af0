"""The comparison that no paper ran: each paper's champion and the newer methods against each other."""
