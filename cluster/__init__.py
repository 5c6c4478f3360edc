"""Runs as jobs of a Ray cluster: what travels with them, how they are followed, what is checked on the nodes.

Beside this code lie the files that start a cluster: Dockerfile, ray_cluster.*.yaml, kuberay.yaml and slurm.sbatch.
"""
