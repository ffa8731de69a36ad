"""The input files of a scene for Kratos: two text files and two JSON files."""

from itertools import pairwise

import numpy as np

import dem_scenes


def block(kind, lines, indent="  "):
    """A block from `Begin kind` to `End`, which repeats only the first word of `kind`."""
    return "\n".join(
        [f"Begin {kind}", *(indent + line for line in lines), f"End {kind.split()[0]}"]
    )


def node_data(variable, values):
    return block(f"NodalData {variable}", (f"{k} 0 {value!r}" for k, value in numbered(values)))


def node_block(points):
    return block("Nodes", (f"{k} {x!r} {y!r} {z!r}" for k, (x, y, z) in numbered(points)))


def numbered(rows):
    return enumerate(rows.tolist(), 1)


def spheres_text(scene):
    """Kratos's file of the spheres, with their velocities and spins."""
    numbers = range(1, len(scene.radii) + 1)
    columns = [
        node_data(f"{name}_{axis}", values[:, k])
        for name, values in (("VELOCITY", scene.velocities), ("ANGULAR_VELOCITY", scene.spins))
        for k, axis in enumerate("XYZ")
    ]
    body = [block("SubModelPartNodes", map(str, numbers))]
    body += [block("SubModelPartElements", map(str, numbers))]
    parts = [
        "Begin Properties 1\nEnd Properties",
        node_block(scene.centers),
        block("Elements SphericParticle3D", (f"{k} 1 {k}" for k in numbers)),
        node_data("RADIUS", scene.radii),
        *columns,
        block("SubModelPart Parts_Body", body, ""),
    ]
    return "\n".join(parts) + "\n"


def walls_text(scene):
    """Kratos's file of the walls, each as a rigid body."""
    meshes = [wall.mesh for wall in scene.walls]
    nodes = spans([len(mesh.vertices) for mesh in meshes])
    facets = spans([len(mesh) for mesh in meshes])
    lines = {3: [], 4: []}
    for mesh, own_nodes, own_facets in zip(meshes, nodes, facets, strict=True):
        polygons = np.split(own_nodes.start + mesh.indices, mesh.offsets[1:-1])
        for number, corners in zip(own_facets, polygons, strict=True):
            lines[len(corners)].append(f"{number} 2 {' '.join(map(str, corners))}")
    parts = [
        "Begin Properties 2\nEnd Properties",
        node_block(np.concatenate([mesh.vertices for mesh in meshes])),
        *(block(f"Conditions RigidFace3D{n}N", own) for n, own in lines.items() if own),
        *map(body_text, range(len(meshes)), (wall.rate for wall in scene.walls), nodes, facets),
    ]
    return "\n".join(parts) + "\n"


def spans(counts):
    """Consecutive ranges of numbers from 1 on, one of each length in `counts`."""
    ends = np.cumsum([1, *counts]).tolist()
    return [range(begin, end) for begin, end in pairwise(ends)]


def body_text(number, rate, nodes, facets):
    data = {
        "LINEAR_VELOCITY": "[3] (0.0,0.0,0.0)",
        "VELOCITY_PERIOD": 0.0,
        "ANGULAR_VELOCITY": f"[3] ({rate!r},0.0,0.0)",
        "ROTATION_CENTER": "[3] (0.0,0.0,0.0)",
        "ANGULAR_VELOCITY_PERIOD": 0.0,
        "VELOCITY_START_TIME": 0.0,
        "VELOCITY_STOP_TIME": 1e9,
        "ANGULAR_VELOCITY_START_TIME": 0.0,
        "ANGULAR_VELOCITY_STOP_TIME": 1e9,
        "FIXED_MESH_OPTION": 0,
        "RIGID_BODY_MOTION": int(rate != 0.0),
        "FREE_BODY_MOTION": 0,
        "IS_GHOST": 0,
        "IDENTIFIER": f"wall{number}",
        "TOP": 0,
        "BOTTOM": 0,
        "FORCE_INTEGRATION_GROUP": 0,
    }
    parts = [
        block("SubModelPartData", (f"{name} {value}" for name, value in data.items())),
        block("SubModelPartNodes", map(str, nodes)),
        block("SubModelPartConditions", map(str, facets)),
    ]
    return block(f"SubModelPart {number + 1}", parts, "")


def materials(scene):
    grain = dem_scenes.GRAIN
    ball = {
        "PARTICLE_DENSITY": grain.density,
        "YOUNG_MODULUS": grain.young,
        "POISSON_RATIO": grain.poisson,
    }
    wall = {"YOUNG_MODULUS": 1e20, "POISSON_RATIO": grain.poisson, "COMPUTE_WEAR": False}
    return {
        "materials": [
            {"material_name": "ball", "material_id": 1, "Variables": ball},
            {"material_name": "wall", "material_id": 2, "Variables": wall},
        ],
        "material_relations": [
            relation(scene, [1, 1], dem_scenes.FRICTION),
            relation(scene, [1, 2], dem_scenes.WALL_FRICTION),
        ],
        "material_assignation_table": [["SpheresPart", "ball"], ["RigidFacePart", "wall"]],
    }


def relation(scene, numbers, friction):
    variables = {
        "COEFFICIENT_OF_RESTITUTION": dem_scenes.RESTITUTION,
        "STATIC_FRICTION": friction,
        "DYNAMIC_FRICTION": friction,
        "FRICTION_DECAY": 500,
        "ROLLING_FRICTION": scene.rolling,
        "ROLLING_FRICTION_WITH_WALLS": scene.rolling,
        "SEVERITY_OF_WEAR": 0.001,
        "IMPACT_WEAR_SEVERITY": 0.001,
        "BRINELL_HARDNESS": 200.0,
        "DEM_DISCONTINUUM_CONSTITUTIVE_LAW_NAME": "DEM_D_Hertz_viscous_Coulomb",
        "DEM_ROLLING_FRICTION_MODEL_NAME": "DEMRollingFrictionModelConstantTorque",
    }
    names = {1: "ball", 2: "wall"}
    return {
        "material_names_list": [names[number] for number in numbers],
        "material_ids_list": numbers,
        "Variables": variables,
    }


def parameters(scene):
    """The solver's parameters: it searches in every step; its default is every 50 steps."""
    return {
        "problem_name": "case",
        "Dimension": 3,
        "do_print_results_option": False,
        "dem_inlet_option": False,
        "post_gid_option": False,
        "BoundingBoxOption": False,
        "GravityX": 0.0,
        "GravityY": 0.0,
        "GravityZ": -9.81,
        "RotationOption": True,
        "RollingFrictionOption": True,
        "solver_settings": {
            "strategy": "sphere_strategy",
            "RemoveBallsInitiallyTouchingWalls": False,
            "do_search_dem_neighbours": True,
            "do_search_fem_neighbours": True,
        },
        "ElementType": "SphericPartDEMElement3D",
        "TranslationalIntegrationScheme": "Symplectic_Euler",
        "RotationalIntegrationScheme": "Direct_Integration",
        "SearchTolerance": 0.0,
        "search_tolerance_against_walls": 0.0,
        "NeighbourSearchFrequency": 1,
        "MaxTimeStep": scene.step,
        "FinalTime": 1e6,
    }
