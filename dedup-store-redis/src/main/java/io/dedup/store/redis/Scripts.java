package io.dedup.store.redis;

/** All scripts, in the form that suits a server's version. */
record Scripts(
        Script claim,
        Script complete,
        Script release,
        Script renew,
        Script find,
        Script stuck,
        Script forget,
        Script forceDone) {
    /**
     * @param flags whether the server knows script flags (7.0 and newer): then {@code allow-oom} lets completes and
     *     releases through when memory is full; an older server lets a script go on whose first write frees memory
     */
    static Scripts load(boolean flags) {
        String constants = "local EPOCH, ATTEMPTS = " + DoneValue.EPOCH_MILLIS + ", " + DoneValue.ATTEMPTS + "\n";
        String whenFull = flags ? "#!lua flags=allow-oom\nlocal FREE_FIRST = false\n" : "local FREE_FIRST = true\n";
        return new Scripts(
                Script.load("claim", ""),
                Script.load("complete", whenFull + constants),
                Script.load("release", whenFull),
                Script.load("renew", ""),
                Script.load("find", ""),
                Script.load("stuck", ""),
                Script.load("forget", ""),
                Script.load("force done", constants));
    }
}
