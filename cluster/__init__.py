"""Runs as jobs of a Ray cluster: packages and submits them, follows their logs, and checks the nodes.

The files that start a cluster are here too: Dockerfile, ray_cluster.*.yaml, kuberay.yaml and slurm.sbatch.
"""
