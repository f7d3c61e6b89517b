@rem `npm start` says `exec node …` so that signals reach the service itself. Windows has no exec: this stands in for it.
@%*
