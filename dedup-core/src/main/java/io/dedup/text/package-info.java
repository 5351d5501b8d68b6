/** Text that came from a message: fit for a log line, and measured in UTF-8. */
@NullMarked
package io.dedup.text;

import org.jspecify.annotations.NullMarked;
