net Weather
{
  HEADER = { ID = Weather; NAME = "Weather"; };
  node wet { TYPE = CPT; HEADER = { ID = wet; NAME = "Wet grass"; };
    SCREEN = { POSITION = { CENTER_X = 168; CENTER_Y = 229; }; COLOR = 16250597; };
    PARENTS = (rain, hose);
    DEFINITION = { NAMESTATES = (yes, no);
      PROBABILITIES = (0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 0.5, 0.5, 0, 1); };
    EXTRA_DEFINITION = { FAULT_NAMES = ("", "{;"); }; };
  node rain { TYPE = CPT; PARENTS = (); DEFINITION = { NAMESTATES = (yes, no); PROBABILITIES = (0.25, 0.75); }; };
  node hose { TYPE = CPT; PARENTS = (); DEFINITION = { NAMESTATES = (on, half, off);
    PROBABILITIES = (0.2, 0.3, 0.5); }; };
};
