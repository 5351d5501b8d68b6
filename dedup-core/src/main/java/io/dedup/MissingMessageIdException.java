package io.dedup;

import io.dedup.policy.OnMissingId;
import io.dedup.policy.SettingNames;
import io.dedup.text.Printable;

/**
 * A message has no usable business ID, and the policy is {@link OnMissingId#FAIL}. Retrying can't help: brokers should
 * dead-letter the message.
 */
public final class MissingMessageIdException extends DedupException {
    private static final long serialVersionUID = 1L;

    public MissingMessageIdException(DedupScope scope, String problem) {
        super("no usable message ID for " + scope + ": " + problem, null);
    }

    /**
     * Of a message that a broker delivered.
     *
     * @param origin names the message: topic, partition and offset, or the broker's message ID
     * @param problem why there is no ID, such as {@code it has no header "order-id"}
     */
    public MissingMessageIdException(DedupTopic topic, String origin, String problem) {
        super(message(topic, origin, problem), null);
    }

    private static String message(DedupTopic topic, String origin, String problem) {
        SettingNames names = topic.policy().settingNames();
        OnMissingId policy = topic.policy().onMissingId();
        String done = switch (policy) {
            case FAIL -> "Rejected";
            case PROCESS -> "Handled without deduplication";
            case SKIP -> "Acknowledged without handling";
        };
        return "Message in " + origin + ": " + problem + ". Consumer "
                + Printable.of(topic.scope().consumer()) + " can't deduplicate it. " + done + " ("
                + names.name("onMissingId") + ": " + names.value(policy) + "). "
                + (policy == OnMissingId.FAIL
                        ? "To handle such messages anyway, set " + names.path("onMissingId") + " to "
                                + names.value(OnMissingId.PROCESS) + " (no deduplication) or "
                                + names.value(OnMissingId.SKIP) + " (acknowledge without handling)."
                        : "To reject such messages, set " + names.path("onMissingId") + " to "
                                + names.value(OnMissingId.FAIL) + ".");
    }
}
