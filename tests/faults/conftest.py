"""The archive on this machine, and the catalog of one small set, that the tests of downloads use as well."""

from tests.datasets import test_download

server, catalogued = test_download.server, test_download.catalogued
