package io.dedup.examples.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** What somebody sees who opens the page of a new demo and follows its steps, in a real browser. */
@EnabledIf(
        value = "io.dedup.examples.live.Browser#isInstalled",
        disabledReason = "neither Chromium nor Chrome is on the path")
class FirstVisitTest {
    private static final String NEXT = "#steps li[aria-current=step] button";

    @Test
    void stepsLeadToADoubleChargeWithoutDedupAndNoneWithIt() throws Exception {
        try (LiveDemo demo = LiveDemo.start("--server.port=0");
                Browser page = new Browser(demo.url())) {
            soon(() -> assertThat(page.text(NEXT)).isEqualTo("Place an order"));
            assertThat(page.text("#empty")).isEqualTo("Nothing was sent yet. Press Place an order to start.");
            assertThat(page.evaluate("document.querySelector('#empty').checkVisibility()"))
                    .isEqualTo("true");
            soon(() -> {
                assertThat(page.text("#plain .verdict")).isEqualTo("No order yet. Press “Place an order” to start.");
                assertThat(page.text("#dedup .verdict")).isEqualTo("No order yet. Press “Place an order” to start.");
            });
            assertThat(page.evaluate("document.querySelector('#resend').disabled"))
                    .isEqualTo("true");
            fitsAndIsLabelled(page);

            page.click(NEXT);
            soon(() -> {
                assertThat(page.text("#plain .verdict")).isEqualTo("1 order charged once, so far.");
                assertThat(page.text("#dedup .verdict")).isEqualTo("1 order charged once.");
            });
            assertThat(page.evaluate("document.querySelector('#empty').checkVisibility()"))
                    .isEqualTo("false");

            soon(() -> assertThat(page.text(NEXT)).isEqualTo("Send it again"));
            page.click(NEXT);
            soon(() -> {
                assertThat(page.text("#plain .verdict")).isEqualTo("1 double charge: customers paid $42.00 too much.");
                assertThat(page.text("#dedup .verdict")).isEqualTo("1 order charged once. 1 skipped: 1 resent.");
            });
            assertThat(page.evaluate("document.querySelectorAll('#plain .coin').length"))
                    .isEqualTo("2");
            assertThat(page.evaluate("document.querySelectorAll('#dedup .coin').length"))
                    .isEqualTo("1");
            numbersAreThoseOfTheTables(page, demo, 2, 1);

            soon(() -> assertThat(page.evaluate("document.querySelector('#replay-orders').disabled"))
                    .isEqualTo("false"));
            assertThat(page.text(NEXT)).isEqualTo("Replay orders");
            page.click(NEXT);
            soon(() -> {
                assertThat(page.text("#plain .verdict"))
                        .isEqualTo("3 double charges: customers paid $126.00 too much.");
                assertThat(page.text("#dedup .verdict"))
                        .startsWith("1 order charged once. 3 skipped: ")
                        .contains("resent", "replayed");
            });
            numbersAreThoseOfTheTables(page, demo, 4, 1);
            soon(() -> assertThat(page.text(NEXT)).isEqualTo("Kill the consumer"));
            fitsAndIsLabelled(page);
        }
    }

    private static void numbersAreThoseOfTheTables(Browser page, LiveDemo demo, int plainRows, int dedupRows)
            throws Exception {
        assertThat(rows(demo, "charge_without_dedup")).isEqualTo(plainRows);
        assertThat(rows(demo, "charge")).isEqualTo(dedupRows);
        assertThat(page.text("#plain dd.handled")).isEqualTo(String.valueOf(plainRows));
        assertThat(page.text("#dedup dd.handled")).isEqualTo(String.valueOf(dedupRows));
        assertThat(page.text("#row-orders-plain .handled")).isEqualTo(String.valueOf(plainRows));
        assertThat(page.text("#row-orders-dedup .handled")).isEqualTo(String.valueOf(dedupRows));
        soon(() -> assertThat(page.text("#plain dd.delivered")).isEqualTo(String.valueOf(plainRows)));
        soon(() -> assertThat(page.text("#dedup dd.delivered")).isEqualTo(String.valueOf(plainRows)));
    }

    private static int rows(LiveDemo demo, String table) throws SQLException {
        var database = demo.database();
        try (Connection connection =
                        DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
                Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM " + table)) {
            count.next();
            return count.getInt(1);
        }
    }

    private static void fitsAndIsLabelled(Browser page) throws Exception {
        for (String colorScheme : new String[] {"light", "dark"}) {
            for (int width : new int[] {1280, 390}) {
                page.show(width, 900, colorScheme);
                assertThat(Integer.parseInt(page.evaluate("document.documentElement.scrollWidth")))
                        .isLessThanOrEqualTo(width);
            }
        }
        assertThat(page.evaluate("[...document.querySelectorAll('input')].every(input => input.labels.length === 1)"))
                .isEqualTo("true");
        assertThat(
                        page.evaluate(
                                "[...document.querySelectorAll('#steps button')]"
                                        + ".every(button => document.getElementById(button.getAttribute('aria-describedby')).textContent)"))
                .isEqualTo("true");
    }

    private static void soon(ThrowingRunnable assertion) {
        await().atMost(SharedDemo.LIMIT).untilAsserted(assertion);
    }
}
