"""What scans found, kept between scans for speed alone: whatever is wrong with it, a scan goes on without."""
