package io.dedup.kafka.model;

/** What has to hold in each state that can be reached. */
enum Rule {
    NOTHING_LOST("an offset is committed beyond a message that has had no effect"),
    DURABLE_FIRST("an offset is committed beyond a message that the store doesn't know as done"),
    NO_RUN_AFTER_DONE("a handler begins with a message that the store knows as done"),
    OWNER_ONLY("a message takes effect under a claim that was taken away before its lease had run out"),
    ONCE("a message takes effect again without a crash or an expired lease to excuse it"),
    NO_CLAIM_WITHOUT_POLL("a claim waits for the turn of a record that the container has dropped"),
    NEVER_STUCK("without another fault, the group never handles all messages");

    private final String words;

    Rule(String words) {
        this.words = words;
    }

    @Override
    public String toString() {
        return words;
    }
}
