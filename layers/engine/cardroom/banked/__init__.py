"""What all games share in which a player, or the house, banks and others wager on hands against his.

A game says which kinds of wagers a hand takes and what the cards make of them. Requests and bodies are those of the
records. A request with faults of several kinds is refused for the first kind in the order of the checks, naming every
fault of that kind. Sections are those of the pai gow poker sheet, whose §6 to §8 hold for all banked games.
"""
