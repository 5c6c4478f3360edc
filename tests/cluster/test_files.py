"""The files that start clusters, each read by the tool that judges its kind: Ray's schema of clusters, Kubernetes' own
schemas, shellcheck, hadolint. Where none could be had, what a parser of ours can see, as the test says.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import ray
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "cluster"


def documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((CLUSTER / name).read_text()))


@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_ray_clusters_follow_rays_schema(cloud: str) -> None:
    (config,) = documents(f"ray_cluster.{cloud}.yaml")
    prepared = prepare_config(config)
    validate_config(prepared)
    assert prepared["available_node_types"]["head"]["resources"] == {"CPU": 0}
    unknown = {**prepared, "max_worker": 1}
    with pytest.raises(Exception, match="max_worker"):  # the schema does not pass everything
        validate_config(unknown)


def tool(name: str) -> str:
    path = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return path or pytest.skip(f"{name} is not installed here; `make setup` installs it")


@pytest.mark.parametrize(
    ("name", "file"), [("shellcheck", "slurm.sbatch"), ("shellcheck", "entry.sh"), ("hadolint", "Dockerfile")]
)
def test_linters_have_nothing_to_say(name: str, file: str) -> None:
    done = subprocess.run([tool(name), str(CLUSTER / file)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def jobs() -> list[dict[str, Any]]:
    return [document for document in documents("kuberay.yaml") if document["kind"] == "RayJob"]


def groups(job: dict[str, Any]) -> list[dict[str, Any]]:
    cluster = job["spec"]["rayClusterSpec"]
    return [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]


def test_kubernetes_takes_what_is_its_own() -> None:
    """By Kubernetes' published schemas: the claim, the account, and every pod of the RayJobs."""
    validator = pytest.importorskip("kubernetes_validate")
    own = [document for document in documents("kuberay.yaml") if document["kind"] != "RayJob"]
    pods = [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **group["template"]}
        for job in jobs()
        for group in groups(job)
    ]
    assert len(own) == 2
    assert len(pods) == 6
    for document in [*own, *pods]:
        validator.validate(document, "1.30", strict=True)
    pods[0]["spec"]["containers"][0]["volumeMount"] = []
    with pytest.raises(validator.ValidationError):
        validator.validate(pods[0], "1.30", strict=True)


# Of ray-operator/apis/ray/v1 of KubeRay 1.6, as far as they are used: no package that pip finds has its own schema.
JOB = {"entrypoint", "runtimeEnvYAML", "submissionMode", "backoffLimit", "shutdownAfterJobFinishes"}
JOB |= {"ttlSecondsAfterFinished", "rayClusterSpec"}
RAY_CLUSTER = {
    "rayVersion",
    "authOptions",
    "enableInTreeAutoscaling",
    "autoscalerOptions",
    "headGroupSpec",
    "workerGroupSpecs",
}
AUTOSCALER = {"upscalingMode", "idleTimeoutSeconds"}
WORKERS = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}


def test_rayjobs_have_the_fields_of_kuberay() -> None:
    """A parser of our own: names of fields, and what a pod with a read-only root must mount."""
    assert [job["metadata"]["name"] for job in jobs()] == ["winnow-curate", "winnow-train"]
    for job in jobs():
        assert job["spec"].keys() == JOB
        cluster = job["spec"]["rayClusterSpec"]
        assert cluster.keys() == RAY_CLUSTER
        assert cluster["rayVersion"] == ray.__version__
        assert cluster["authOptions"] == {"mode": "token"}
        assert cluster["autoscalerOptions"].keys() == AUTOSCALER
        assert {group["groupName"] for group in cluster["workerGroupSpecs"]} == {"cpu", "gpu"}
        assert all(group.keys() == WORKERS for group in cluster["workerGroupSpecs"])
        assert yaml.safe_load(job["spec"]["runtimeEnvYAML"])["env_vars"]
        for group in groups(job):
            (container,) = group["template"]["spec"]["containers"]
            mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
            assert mounts == {"/home/winnow", "/tmp", "/dev/shm", "/cache"}
            assert container["securityContext"]["readOnlyRootFilesystem"]


def test_the_image_copies_what_there_is(tmp_path: Path) -> None:
    """Docker does not run here. Every COPY and every target is followed, but no RUN is executed."""
    text = (CLUSTER / "Dockerfile").read_text().replace("\\\n", " ")
    stages = re.findall(r"^FROM \S+ AS (\S+)$", text, re.MULTILINE)
    assert {"cpu", "cuda"} <= set(stages)
    copies = re.findall(r"^COPY (--from=(\S+) )?(.+) (\S+)$", text, re.MULTILINE)
    assert len(copies) == 3
    for _, stage, sources, _ in copies:
        assert not stage or stages.index(stage) >= 0
        for source in [] if stage else sources.split():
            if source.startswith("dist/"):  # written by `make wheel`
                assert source == "dist/winnow_corpus-*.whl"
            else:
                assert (ROOT / source).exists()
    assert text.count("USER 1000:1000") == 2
    (torch,) = set(re.findall(r"torch==[\d.]+", text))
    assert f'"{torch}"' in (ROOT / "pyproject.toml").read_text()


SRUN = """#!/bin/sh
# As Slurm's for one node: leaves its own options out.
while [ "${1#--}" != "$1" ]; do shift; done
exec "$@"
"""
FAKES = {
    "srun": SRUN,
    "scontrol": '#!/bin/sh\n[ "$1" = show ] && echo node1 && exit\necho "scontrol $*" >>"$NOTES"\n',
    "hostname": "#!/bin/sh\necho 127.0.0.1 10.1.2.3\n",
    "ray": '#!/bin/sh\necho "ray $*" >>"$NOTES"\n[ "$1" = health-check ] && exit 0\nexec sleep 30\n',
    "python3": '#!/bin/sh\nuntil [ "$(grep -c "ray start" "$NOTES")" = "$3" ]; do sleep 0.05; done\n',
    "winnow": '#!/bin/sh\necho "winnow $*" >>"$NOTES"\n%s',
}


def batch(folder: Path, winnow: str, *arguments: str) -> "subprocess.Popen[str]":
    """The batch script with stand-ins of Slurm's commands: what it runs, in what order, and how it ends."""
    for name, script in {**FAKES, "winnow": FAKES["winnow"] % winnow}.items():
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}:{os.environ['PATH']}",
        "NOTES": str(folder / "notes"),
        "HOME": str(folder),
        "SLURM_JOB_NODELIST": "node[1-2]",
        "SLURM_JOB_NUM_NODES": "2",
        "SLURM_JOB_ID": "41",
    }
    command = ["bash", str(CLUSTER / "slurm.sbatch"), *arguments]
    return subprocess.Popen(
        command, env=environment, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def ended(process: "subprocess.Popen[str]", folder: Path) -> tuple[int, list[str]]:
    code = process.wait(timeout=30)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # the stand-ins of Ray, which Slurm ends with the job
    process.communicate()
    notes = folder / "notes"
    return code, [line for line in notes.read_text().splitlines() if "health" not in line] if notes.exists() else []


@pytest.mark.parametrize("code", [0, 2])
def test_slurm_runs_the_command_on_its_nodes(tmp_path: Path, code: int) -> None:
    process = batch(tmp_path, f"exit {code}", "curate", "a recipe.yaml", "--output", "/runs/a")
    found, notes = ended(process, tmp_path)
    assert found == code
    assert sorted(notes) == [
        "ray start --block --address=10.1.2.3:20041",
        "ray start --head --block --node-ip-address=10.1.2.3 --port=20041 --include-dashboard=false",
        "winnow curate a recipe.yaml --output /runs/a --address 10.1.2.3:20041",
    ]


def test_slurm_ends_the_command_and_queues_again(tmp_path: Path) -> None:
    ends = 'trap \'echo ended >>"$NOTES"; exit 143\' TERM\ntouch "$NOTES.up"\nwhile :; do sleep 0.1; done\n'
    process = batch(tmp_path, ends, "train", "model.yaml")
    deadline = time.monotonic() + 30
    while not (tmp_path / "notes.up").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGTERM)
    code, notes = ended(process, tmp_path)
    assert code == 143
    assert notes[-2:] == ["ended", "scontrol requeue 41"]


def test_slurm_asks_for_the_signal(tmp_path: Path) -> None:
    text = (CLUSTER / "slurm.sbatch").read_text()
    assert {"#SBATCH --signal=B:TERM@60", "#SBATCH --requeue"} <= set(text.splitlines())
    code, notes = ended(batch(tmp_path, "exit 0"), tmp_path)
    assert (code, notes) == (2, [])
