"""Fitted estimators in files: arrays and JSON, never pickle."""
