"""From typed columns to packed numbers and back."""
