"""What everything else stands on: arrays, errors, files, locks, limits, seeds, processors and news."""
