package io.dedup.examples.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.UUID;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** The page, in a real browser. */
@EnabledIf(
        value = "io.dedup.examples.live.Browser#isInstalled",
        disabledReason = "neither Chromium nor Chrome is on the path")
class PageTest {
    @Test
    void worksTheShopAndShowsEachStepOfItsMessages() throws Exception {
        try (Browser page = new Browser(SharedDemo.url())) {
            soon(() -> assertThat(page.text("#consumer")).startsWith("running"));
            String id = "<img src=x onerror=\"document.title='run'\"><b>" + UUID.randomUUID();
            page.evaluate("document.querySelector('details').open = true");
            page.type("#new-id", id);
            page.click("#place");
            soon(() -> assertThat(page.text("#answer")).contains(id).contains("placed"));
            soon(() -> assertThat(steps(page, "dedup", "handled", id)).isEqualTo(2));
            assertThat(steps(page, "dedup", "claimed", id)).isEqualTo(2);
            assertThat(steps(page, "plain", "handled", id)).isOne();
            page.click("#resend");
            soon(() -> assertThat(steps(page, "dedup", "duplicate", id)).isEqualTo(2));
            assertThat(duplicates(page, id, "resent")).isEqualTo(2);
            soon(() -> assertThat(page.text("#dedup .verdict")).contains("skipped: ", "resent"));

            soon(() -> assertThat(page.evaluate("document.querySelector('#replay-orders').disabled"))
                    .isEqualTo("false"));
            page.click("#replay-orders");
            soon(() -> assertThat(steps(page, "dedup", "duplicate", id))
                    .isEqualTo(4)); // both copies of the order's message
            assertThat(duplicates(page, id, "replayed")).isPositive();
            assertThat(page.text("#row-orders-dedup .causes")).contains("resent", "replayed");
            assertThat(steps(page, "dedup", "handled", id)).isEqualTo(2);
            soon(() -> assertThat(steps(page, "plain", "handled", id)).isEqualTo(4));
            assertThat(steps(page, "plain", "twice", id)).isEqualTo(3);

            page.click("#look-orders");
            soon(() -> assertThat(page.text("#record")).contains(id).contains("DONE"));
            page.type("#look-id", "nobody's");
            page.click("#look-mails");
            soon(() -> assertThat(page.text("#record")).isEqualTo("Refused: no record"));
            page.type("#order", "nobody's");
            page.click("#resend");
            soon(() -> assertThat(page.text("#answer")).isEqualTo("Refused: no such order"));

            page.evaluate("document.querySelector('#kill').focus()");
            page.click("#kill");
            soon(() -> assertThat(page.text("#consumer")).isEqualTo("dead"));
            assertThat(page.evaluate("document.activeElement.id"))
                    .as("a keyboard goes on with the other button")
                    .isEqualTo("start");
            assertThat(page.evaluate("document.querySelector('#replay-orders').disabled"))
                    .isEqualTo("true");
            soon(() -> assertThat(page.text("#log .both.killed")).contains("consumer killed"));
            page.click("#start");
            soon(() -> assertThat(page.text("#consumer")).startsWith("running"));

            assertThat(page.text("#log")).contains(id);
            assertThat(page.evaluate(
                            "document.querySelectorAll('#log img, #log b, .orders b, #answer *, #record *').length"))
                    .as("what was typed is text")
                    .isEqualTo("0");
            assertThat(page.evaluate("document.title")).isEqualTo("dedup, live");
        }
    }

    /** How many deliveries of a message on one side of the time line had a step. */
    private static int steps(Browser page, String side, String step, String id) throws Exception {
        String uuid = id.substring(id.length() - 36);
        return Integer.parseInt(page.evaluate("[...document.querySelectorAll('#log ." + side
                + " .entry')].filter(entry => entry.textContent.includes('" + uuid + "')"
                + " && entry.querySelector('." + step + "')).length"));
    }

    /** How many duplicates of a message have a cause. */
    private static int duplicates(Browser page, String id, String cause) throws Exception {
        String uuid = id.substring(id.length() - 36);
        return Integer.parseInt(page.evaluate("[...document.querySelectorAll('#log .dedup .entry')].filter(entry =>"
                + " entry.textContent.includes('" + uuid + "') && entry.textContent.includes('duplicate (" + cause
                + ")')).length"));
    }

    private static void soon(ThrowingRunnable assertion) {
        await().atMost(SharedDemo.LIMIT).untilAsserted(assertion);
    }
}
