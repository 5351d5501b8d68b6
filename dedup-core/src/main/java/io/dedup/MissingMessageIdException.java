package io.dedup;

import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnMissingId;
import io.dedup.policy.SettingNames;
import io.dedup.text.Printable;

/**
 * A message has no usable business ID, and the policy is {@link OnMissingId#FAIL}. Retrying cannot help: the broker
 * should send the message to its dead-letter topic.
 */
public final class MissingMessageIdException extends DedupException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception for an ID that is not part of a delivery.
     *
     * @param problem why the ID is unusable, as {@link DedupKey#problemWith} explains it
     */
    public MissingMessageIdException(DedupScope scope, String problem) {
        super("No usable message ID (" + scope + "): " + problem, null);
    }

    /**
     * Creates the exception for a message that a broker delivered.
     *
     * @param consumer the consumer's name
     * @param policy of the message's topic
     * @param origin names the message: topic, partition and offset, or the broker's message ID
     * @param problem why there is no ID, such as {@code it has no header "order-id"}
     */
    public MissingMessageIdException(String consumer, DedupPolicy policy, String origin, String problem) {
        super(message(consumer, policy, origin, problem), null);
    }

    private static String message(String consumer, DedupPolicy policy, String origin, String problem) {
        SettingNames names = policy.settingNames();
        OnMissingId action = policy.onMissingId();
        String done = switch (action) {
            case FAIL -> "Rejected";
            case PROCESS -> "Handled without deduplication";
            case SKIP -> "Acknowledged without handling";
        };
        return "Message in " + origin + ": " + problem + ". Consumer "
                + Printable.of(consumer) + " cannot deduplicate it. " + done + " ("
                + names.name("onMissingId") + ": " + names.value(action) + "). "
                + (action == OnMissingId.FAIL
                        ? "To handle such messages anyway, set " + names.path("onMissingId") + " to "
                                + names.value(OnMissingId.PROCESS) + " (no deduplication) or "
                                + names.value(OnMissingId.SKIP) + " (acknowledge without handling)."
                        : "To reject such messages, set " + names.path("onMissingId") + " to "
                                + names.value(OnMissingId.FAIL) + ".");
    }
}
