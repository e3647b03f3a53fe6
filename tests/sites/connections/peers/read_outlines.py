"""Compares outlines with a segmentation by highdicom: read_outlines.py SEG SR. Says the groups, and pixels that differ."""
import json
import sys

import highdicom as hd
import numpy as np
from pydicom import dcmread
from pydicom.sr.codedict import codes

seg = hd.seg.segread(sys.argv[1])
document = hd.sr.srread(sys.argv[2])
rows, columns = seg.Rows, seg.Columns
x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)


def filled(points):
    """Pixels with a centre inside, by the even-odd rule."""
    inside = np.zeros((rows, columns), bool)
    for (x1, y1), (x2, y2) in zip(points[:-1], points[1:]):
        if y1 != y2:
            crosses = (y1 > y) != (y2 > y)
            inside ^= crosses & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return inside


def segment_pixels(number):
    """Pixels of a segment by image."""
    found = {}
    for frame, item in zip(seg.pixel_array.reshape(-1, rows, columns), seg.PerFrameFunctionalGroupsSequence):
        if item.SegmentIdentificationSequence[0].ReferencedSegmentNumber == number:
            image = item.DerivationImageSequence[0].SourceImageSequence[0].ReferencedSOPInstanceUID
            found[image] = frame > 0
    return found


by_tracking = {one.TrackingUID: one for one in seg.SegmentSequence}
groups = []
for group in document.content.get_volumetric_roi_measurement_groups():
    segment = by_tracking[group.tracking_uid]
    drawn = {}
    for region in group.roi:
        image = region.ContentSequence[0].ReferencedSOPSequence[0].ReferencedSOPInstanceUID
        inside = drawn.setdefault(image, np.zeros((rows, columns), bool))
        inside ^= filled(np.array(region.value))
    expected = segment_pixels(segment.SegmentNumber)
    empty = np.zeros((rows, columns), bool)
    different = sum(int((drawn.get(one, empty) != expected.get(one, empty)).sum()) for one in drawn.keys() | expected.keys())
    volumes = [one.value for one in group.get_measurements(name=codes.SCT.Volume)]
    groups.append({"name": group.tracking_identifier, "regions": len(group.roi), "different": different,
                   "pixels": int(sum(one.sum() for one in expected.values())), "volumes": volumes})
print(json.dumps({"sop_class": str(dcmread(sys.argv[2]).SOPClassUID), "groups": groups}))
