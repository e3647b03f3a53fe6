"""Converts a Parametric Map to NIfTI by dcmqi: read_map_dcmqi.py FILE; says its values at their places."""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

program = pathlib.Path(sys.executable).with_name("paramap2itkimage")
with tempfile.TemporaryDirectory() as folder:
    subprocess.run([program, "--inputDICOM", sys.argv[1], "--outputDirectory", folder, "-t", "nifti"],
                   check=True, stdout=subprocess.DEVNULL)
    raw = gzip.decompress(pathlib.Path(folder, "pmap.nii.gz").read_bytes())
    meta = json.loads(pathlib.Path(folder, "meta.json").read_text())
header = np.frombuffer(raw[:348], np.uint8)
dims = header[40:56].view("<i2")[1:4]
kind, offset = header[70:72].view("<i2")[0], int(header[108:112].view("<f4")[0])
rows = header[280:328].view("<f4").reshape(3, 4).astype(float)
assert kind in (16, 64), kind
data = np.frombuffer(raw, "<f4" if kind == 16 else "<f8", count=int(np.prod(dims)), offset=offset)
array = data.reshape(dims, order="F")
at = np.argwhere(~np.isnan(array))
places = at @ rows[:, :3].T + rows[:, 3]
print(json.dumps({
    "voxels": [[*np.round(place, 4).tolist(), float(array[tuple(index)])] for place, index in zip(places, at)],
    "unit": meta["MeasurementUnitsCode"]["CodeValue"],
}))
