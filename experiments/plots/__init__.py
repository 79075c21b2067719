"""Figures for print, one a module: each is a pure function of records and, for a wall's, of its vectors.

Nothing here touches pyplot or needs a display; drawing goes on inside ``sheet.print_style``.
"""
