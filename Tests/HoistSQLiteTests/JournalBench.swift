import Glibc
import HoistBase
import HoistCore
import HoistSQLite
import HoistTestSupport
import Testing

/// What tests of journals do with a scratch folder.
protocol JournalBench {
  var scratch: Scratch { get }
}

extension JournalBench {
  var identifiers: EventIdentifiers { EventIdentifiers(high: 7, low: 100) }

  func open(_ manager: SQLiteCacheManager, pipeline: String = "events") throws -> any EventJournal {
    try #require(try manager.openJournal(pipeline: pipeline, identifiers: identifiers))
  }

  @discardableResult
  func write(_ journal: (any EventJournal)?, _ number: UInt64, _ text: String = "payload", subject: String = "") -> Bool {
    subject.withBytes { subject in
      text.withBytes {
        journal?.write(subject: subject, unixMilliseconds: Int64(number), payload: $0, untilNanoseconds: .max) { number } ?? false
      }
    }
  }

  func release(_ journal: (any EventJournal)?, below: UInt64, round: UInt64 = 1, step: Int = 0) {
    journal?.release(JournalProgress(below: below, round: round, step: step))
  }

  /// As the next process finds it.
  func claimed() throws -> [EventRow] {
    try scratch.manager().claimEvents(pipeline: "events", maximumRows: 1_000, maximumBytes: 1 << 24, owner: stranger(1))
  }

  var files: [String] { scratch.run("ls \"$D\" | grep 'journal$'").split(separator: "\n").map(String.init) }
}

/// In a child: what is written beyond the limit ends it, as it would a host. Threads of the tests block the signal.
func heedFileLimits() {
  signal(SIGXFSZ, SIG_DFL)
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGXFSZ)
  pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}
