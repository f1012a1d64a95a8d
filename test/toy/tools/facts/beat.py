# SPDX-License-Identifier: GPL-2.0-or-later
"""What tools and pages must know of this format."""
TITLE = "Beat"
STATISTICS = {"beat,tree": ("tree", "beats by id"), "beat,ids": ("table", "beats of each id")}
