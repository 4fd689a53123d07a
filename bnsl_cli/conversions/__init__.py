"""The conversions of ``bnsl convert``: their target formats, and how each kind of input is converted."""
