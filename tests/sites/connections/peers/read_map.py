"""Reads a Parametric Map by highdicom: read_map.py FILE; says its values at their places, and their meaning."""
import json
import sys

import highdicom as hd
import numpy as np
from pydicom import dcmread

image = hd.imread(sys.argv[1])
dataset = dcmread(sys.argv[1])
shared = dataset.SharedFunctionalGroupsSequence[0]
mapping = shared.RealWorldValueMappingSequence[0]
volume = image.get_volume(apply_real_world_transform=True, dtype=np.float64)
array = volume.array
stored = dataset.pixel_array.astype(np.float64)
at = np.argwhere(~np.isnan(array))
# DICOM: left, posterior, superior; here: right, anterior, superior
places = (volume.affine @ np.c_[at, np.ones(len(at))].T).T[:, :3] * [-1, -1, 1]
frames = dataset.PerFrameFunctionalGroupsSequence
print(json.dumps({
    "shape": list(array.shape),
    "voxels": [[*np.round(place, 4).tolist(), float(array[tuple(index)])] for place, index in zip(places, at)],
    "is_as_stored": bool(np.array_equal(np.sort(array[~np.isnan(array)]), np.sort(stored[~np.isnan(stored)]))),
    "unit": [mapping.MeasurementUnitsCodeSequence[0].CodingSchemeDesignator, mapping.MeasurementUnitsCodeSequence[0].CodeValue],
    "quantity": [item.ConceptCodeSequence[0].CodeValue for item in mapping.QuantityDefinitionSequence],
    "padding": [str(dataset.FloatPixelPaddingValue), str(dataset.FloatPixelPaddingRangeLimit)],
    "sources": sorted({one.DerivationImageSequence[0].SourceImageSequence[0].ReferencedSOPInstanceUID for one in frames}),
    "derivation": frames[0].DerivationImageSequence[0].DerivationDescription,
    "description": dataset.ContentDescription,
    "software": list(dataset.SoftwareVersions),
    "frame_of_reference": dataset.FrameOfReferenceUID,
}))
