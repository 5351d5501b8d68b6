/** Makes text that came from a message fit for a log line, measures it in UTF-8, and finds what a failure came from. */
@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;
