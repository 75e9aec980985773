"""Sanwal and Drechsler 2002: Jujitsu."""
