"""Widgets that draw values and post what people do with them; none of them asks the service anything."""
