/** Makes text that came from a message fit for a log line, and measures it in UTF-8. */
@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;
