"""Exact rational numbers: those of GMP, twenty times as fast as Python's, where gmpy2 is there."""

try:
    from gmpy2 import mpq as Rational
except ImportError:
    from fractions import Fraction as Rational

__all__ = ["Rational"]
