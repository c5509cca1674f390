"""What an engine holds, and how to bring it back to what it held: only what was made since is removed, one by one."""

from clients import LIBPOD

# Kind: the list, the key of the identity, and how one is removed.
KINDS = {
    "pods": ("pods/json", "Id", "pods/{}?force=true"),
    "containers": ("containers/json?all=true", "Id", "containers/{}?force=true&v=true&timeout=0"),
    "networks": ("networks/json", "id", "networks/{}?force=true"),
    "volumes": ("volumes/json", "Name", "volumes/{}?force=true"),
    "secrets": ("secrets/json", "ID", "secrets/{}"),
}

# What attacks call theirs.
MANIFEST_LIST = "localhost/stolen"


class Images:
    """What `images/json` says, which takes the engine long, asked for when its record of images has changed."""
    record, listed = b"", {}

    @classmethod
    def of(cls, engine):
        record = engine.image_record()
        if not record or record != cls.record:
            cls.listed = cls._list(engine.direct)
            cls.record = record if record == engine.image_record() else b""
        return cls.listed

    @staticmethod
    def _list(direct):
        answer = direct.get(f"{LIBPOD}/images/json?all=true")
        # Podman 4.3 lists no image at all while there is a manifest list whose member is not here, and an image without a
        # name beside it, such as builds leave.
        if answer.status == 500:
            direct.delete(f"{LIBPOD}/manifests/{MANIFEST_LIST}")
            answer = direct.get(f"{LIBPOD}/images/json?all=true")
        return {image["Id"]: frozenset(image.get("RepoTags") or []) for image in answer.json()}


class Inventory:
    def __init__(self, engine):
        self.engine = engine
        self.direct = engine.direct
        self.things = {kind: self._identities(kind) for kind in KINDS}
        self.images = Images.of(engine)

    def _identities(self, kind):
        listing, key, _ = KINDS[kind]
        return {thing[key] for thing in self.direct.get(f"{LIBPOD}/{listing}").json() or []}

    def __eq__(self, other):
        return self.things == other.things and self.images == other.images

    def changes(self, before):
        """In words, for the report of a failure."""
        told = []
        for kind, things in self.things.items():
            told += [f"{kind[:-1]} {thing} was made" for thing in things - before.things[kind]]
            told += [f"{kind[:-1]} {thing} is gone" for thing in before.things[kind] - things]
        for image in self.images.keys() | before.images.keys():
            if self.images.get(image) != before.images.get(image):
                told.append(f"image {image[:12]}: {before.images.get(image)} became {self.images.get(image)}")
        return told

    def restore(self):
        """Removes what is not of this inventory and gives names back. What is gone is gone: the caller compares."""
        for kind, (_, _, removal) in KINDS.items():
            for thing in self._identities(kind) - self.things[kind]:
                self.direct.delete(f"{LIBPOD}/{removal.format(thing)}")
        now = Images.of(self.engine)
        for image, names in self.images.items():
            for name in names - now.get(image, frozenset()):
                self._named(image, "tag", name)
        for image, names in now.items():
            for name in names - self.images.get(image, frozenset()):
                # A manifest list must go as what it is: as an image it stands for one of its members, one of ours perhaps.
                if self.direct.delete(f"{LIBPOD}/manifests/{name}").status >= 400:
                    self._named(image, "untag", name)
            if image not in self.images:
                self.direct.delete(f"{LIBPOD}/images/{image}")

    def _named(self, image, verb, name):
        repository, _, tag = name.rpartition(":")
        self.direct.post(f"{LIBPOD}/images/{image}/{verb}?repo={repository}&tag={tag}")
