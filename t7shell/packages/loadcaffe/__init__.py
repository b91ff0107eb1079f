"""Models of Caffe: their descriptions in text and their parameters, read without Caffe and protobuf."""

FUNCTIONS = {".graph": "read"}
