#!/usr/bin/env bash
# Converts every unit of a quantity into every other one, in many amounts.
cd "$(dirname "$0")" && exec python3 cases.py
