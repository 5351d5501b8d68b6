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
    void showsLiveWhatBecomesOfMessages() throws Exception {
        try (Browser page = new Browser(SharedDemo.url())) {
            soon(() -> assertThat(page.text("#consumer")).startsWith("running"));
            String id = "<img src=x onerror=\"document.title='run'\"><b>" + UUID.randomUUID();
            page.type("#id", id);
            page.click("#place");
            soon(() -> assertThat(lines(page, ".handled", id)).isEqualTo(2));
            page.click("#resend");
            soon(() -> assertThat(lines(page, ".duplicate", id)).isEqualTo(2));
            soon(() -> {
                assertThat(cell(page, "orders", "handled")).isPositive();
                assertThat(cell(page, "orders", "handled")).isEqualTo(cell(page, "orders", "handledOrders"));
                assertThat(cell(page, "orders", "duplicates")).isPositive();
                assertThat(cell(page, "mails", "delivered")).isGreaterThanOrEqualTo(2);
            });

            page.click("#topic-orders .replay");
            soon(() -> assertThat(lines(page, ".duplicate", id)).isEqualTo(4)); // both copies of the order
            assertThat(lines(page, ".handled", id)).isEqualTo(2);

            page.click("#look-orders");
            soon(() -> assertThat(page.text("#answer")).contains("\"state\":\"DONE\""));
            page.type("#id", "nobody's");
            page.click("#look-mails");
            soon(() -> assertThat(page.text("#answer")).isEqualTo("refused: no record"));

            page.click("#kill");
            soon(() -> assertThat(page.text("#consumer")).isEqualTo("dead"));
            assertThat(page.evaluate("document.querySelector('#topic-orders .replay').disabled"))
                    .isEqualTo("true");
            page.click("#start");
            soon(() -> assertThat(page.text("#consumer")).startsWith("running"));

            assertThat(page.text("#log")).contains(id);
            assertThat(page.evaluate("document.querySelectorAll('#log *:not(li), #answer *').length"))
                    .as("what was typed is text")
                    .isEqualTo("0");
            assertThat(page.evaluate("document.title")).isEqualTo("Once, live");
        }
    }

    /** How many lines of the log are about a message. */
    private static int lines(Browser page, String kind, String id) throws Exception {
        String uuid = id.substring(id.length() - 36);
        return Integer.parseInt(page.evaluate("[...document.querySelectorAll('#log " + kind
                + "')].filter(line => line.textContent.endsWith('" + uuid + "')).length"));
    }

    private static long cell(Browser page, String topic, String column) throws Exception {
        return Long.parseLong(page.text("#topic-" + topic + " ." + column));
    }

    private static void soon(ThrowingRunnable assertion) {
        await().atMost(SharedDemo.LIMIT).untilAsserted(assertion);
    }
}
