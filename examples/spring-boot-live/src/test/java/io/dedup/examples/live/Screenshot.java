package io.dedup.examples.live;

import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Draws {@code docs/images/live.png}: works the page as a visitor does, with duplicates, a kill and a replay, and takes a picture
 * of it. Does nothing where there is no browser. The argument is the file's name.
 */
final class Screenshot {
    private static final int WIDTH = 1280;
    private static final int HEIGHT = 1000;

    private Screenshot() {}

    public static void main(String[] args) throws Exception {
        if (!Browser.isInstalled()) {
            System.out.println("No screenshot: neither Chromium nor Chrome is on the path.");
            return;
        }
        Path file = Path.of(args[0]);
        try (LiveDemo demo = LiveDemo.start("--server.port=0");
                Browser page = new Browser(demo.url())) {
            page.show(WIDTH, HEIGHT, "light");
            new Visit(page).run();
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.write(file, page.picture(WIDTH, "main > .card"));
            System.out.println("Screenshot: " + file.toAbsolutePath().normalize());
        }
        System.exit(0); // some clients' threads aren't daemons
    }

    /** Of a new page. */
    record Visit(Browser page) {
        void run() throws Exception {
            until("document.querySelector('#consumer').textContent.startsWith('running')");
            place("Ada", 4200);
            place("Grace", 1950);
            place("Alan", 9900);
            until("document.querySelector('#row-mails-dedup .handled').textContent === '3'");
            page.click("#resend");
            until("document.querySelector('#row-orders-dedup .duplicates').textContent === '1'");
            until("document.querySelector('#row-mails-dedup .duplicates').textContent === '1'");

            page.click("#replay-orders");
            until("document.querySelector('#row-orders-dedup .duplicates').textContent === '5'");

            place("Edsger", 2500);
            until(
                    "[...document.querySelectorAll('#log .dedup .entry')].some(line => line.textContent.includes('order-1004mails:delivered'))");
            page.click("#kill");
            until("document.querySelector('#consumer').textContent === 'dead'");
            page.click("#start");
            until("document.querySelector('#row-mails-dedup .handled').textContent === '4'");
            until("document.querySelector('#row-orders-plain .handled').textContent === '9'");
        }

        private void place(String customer, long cents) throws Exception {
            page.type("#customer", customer);
            page.type("#cents", String.valueOf(cents));
            page.type("#order", "");
            page.click("#place");
            until("document.querySelector('#order').value.startsWith('order-')"
                    + " && document.querySelector('#answer').textContent.includes('placed')");
        }

        private void until(String condition) {
            await().atMost(SharedDemo.LIMIT)
                    .ignoreExceptions() // the page may still load
                    .until(() -> page.evaluate(condition).equals("true"));
        }
    }
}
