#!/bin/sh
# Snakemake runs this in a new conda environment, from the root of the checkout.
python -m pip install --no-deps --no-build-isolation --editable .
