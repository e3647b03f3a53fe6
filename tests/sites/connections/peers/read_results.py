"""Reads result objects as a researcher would, by highdicom and pydicom: read_results.py FILE...; says what it found."""
import json
import sys

import highdicom as hd
import numpy as np
from pydicom import dcmread
from pydicom.sr.codedict import codes

SIDES = {"7771000": "left", "24028007": "right"}


def sided(segment):
    """Name without its side, and the side."""
    property_type, region = segment.SegmentedPropertyTypeCodeSequence[0], segment.get("AnatomicRegionSequence", [None])[0]
    modifiers = [*property_type.get("SegmentedPropertyTypeModifierCodeSequence", []),
                 *(region.get("AnatomicRegionModifierSequence", []) if region else [])]
    side = next((SIDES[one.CodeValue] for one in modifiers if one.CodeValue in SIDES), "")
    return f"{property_type.CodeValue} {region.CodeValue if region else ''}", side


def segmentation(path):
    seg = hd.seg.segread(path)
    places = {}
    for segment in seg.SegmentSequence:
        name, side = sided(segment)
        if side == "":
            continue
        volume = seg.get_volume(segment_numbers=[segment.SegmentNumber])
        at = np.argwhere(volume.array.reshape(volume.spatial_shape) > 0)
        if len(at) > 0:
            # towards the patient's left, mm
            places.setdefault(name, {})[side] = float((volume.affine @ [*at.mean(axis=0), 1])[0])
    pairs = [both for both in places.values() if len(both) == 2]
    return {"segments": len(seg.SegmentSequence), "pairs": len(pairs),
            "swapped": sum(both["left"] <= both["right"] for both in pairs)}


def report(path):
    content = hd.sr.srread(path).content
    groups = content.get_volumetric_roi_measurement_groups()
    volumes = [one.value for group in groups for one in group.get_measurements(name=codes.SCT.Volume)]
    return {"groups": len(groups), "volumes": len(volumes), "least": min(volumes)}


def key_objects(path):
    selection = hd.ko.KeyObjectSelectionDocument.from_dataset(dcmread(path))
    return {"title": selection.ConceptNameCodeSequence[0].CodeValue,
            "referenced": len(selection.content.get_references())}


found = {}
for path in sys.argv[1:]:
    dataset = dcmread(path)
    modality = dataset.Modality
    if modality == "SEG":
        found["SEG"] = segmentation(path)
    elif modality == "SR":
        found["SR"] = report(path)
    elif modality == "KO":
        found["KO"] = key_objects(path)
    elif modality == "DOC":
        found["DOC"] = dataset.EncapsulatedDocument[:5].decode("latin1")
    elif modality == "OT":
        found.setdefault("OT", []).append(list(dataset.pixel_array.shape[2:]))
print(json.dumps(found))
