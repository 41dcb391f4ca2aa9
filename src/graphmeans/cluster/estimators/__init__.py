"""The estimators: parameters in, fitted attributes out."""
